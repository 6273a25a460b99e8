/** Reads a line of options as pip does: like a shell and Python's optparse. */

/** A word as a shell splits it: quotes may surround a part of it. */
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;

/**
 * The options of a line that are among `known`, each with its value. A short option takes its value with or without a
 * blank, a long one after `=` or a blank. A long option may be cut where it is still the only one.
 */
export function readOptions(line: string, known: readonly string[]): { name: string; value: string }[] {
  const words = (line.match(WORD) ?? []).map((word) => word.replaceAll(/["']/g, ''));
  const found: { name: string; value: string }[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const [written, given] = divided(words[index] ?? '');
    const name = wholeName(written, known);
    if (name === undefined) continue;
    const value = given ?? words[(index += 1)];
    if (value !== undefined) found.push({ name, value });
  }
  return found;
}

/** Option and value of one word: `-rbase.txt`, `-r=base.txt`, `--requirement=base.txt`. */
function divided(word: string): [name: string, value: string | undefined] {
  if (word.startsWith('--')) {
    const sign = word.indexOf('=');
    return sign < 0 ? [word, undefined] : [word.slice(0, sign), word.slice(sign + 1)];
  }
  const value = word.slice(2).replace(/^=/, '');
  return [word.slice(0, 2), value === '' ? undefined : value];
}

function wholeName(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name)) return name;
  if (!name.startsWith('--') || name.length < 4) return undefined;
  const [one, ...more] = known.filter((option) => option.startsWith(name));
  return more.length > 0 ? undefined : one;
}

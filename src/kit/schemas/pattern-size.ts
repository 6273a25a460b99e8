/**
 * Estimates the size of a compiled regular expression: one for each character, class or escape, multiplied by the
 * counts of the repeats around it, as RE2 copies what is repeated. Linear in the length of the pattern.
 */
export function patternSize(pattern: string): number {
  /** Sizes of the open groups; the last element of each is the size of the last atom, which a repeat multiplies. */
  const open: { before: number; last: number }[] = [];
  let group = { before: 0, last: 0 };
  const atom = (size: number) => {
    group = { before: group.before + group.last, last: size };
  };
  for (const [token, , least, most] of pattern.matchAll(TOKENS)) {
    if (token === '(') {
      open.push(group);
      group = { before: 0, last: 0 };
    } else if (token === ')') {
      const size = group.before + group.last + 1;
      group = open.pop() ?? { before: 0, last: 0 };
      atom(size);
    } else if (least !== undefined) {
      const times = Math.max(Number(least), Number(most ?? 0), 1);
      group = { ...group, last: Math.min(group.last * times, Number.MAX_SAFE_INTEGER / 2) };
    } else atom(token.startsWith('\\p') || token.startsWith('\\P') || token.startsWith('[') ? CLASS_SIZE : 1);
  }
  return open.reduce((sum, { before, last }) => sum + before + last, group.before + group.last);
}

/** A class can contain hundreds of ranges. */
const CLASS_SIZE = 4;

/** An escape, a class, a repeat with counts, or any other character. */
const TOKENS =
  /\\[pP]\{[^}]*\}|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|(\{(\d{1,6})(?:,(\d{0,6}))?\})|[\s\S]/gu;

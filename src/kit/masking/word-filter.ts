/** Decides without a search whether a text can contain a word, for callers that look for many words in each text. */

const SLOTS = 1 << 15;
/** Words of fewer characters have no group of three. */
const GROUP = 3;

/**
 * Notes which groups of three characters occur in `text`. Returns a test that is false only for words that the text
 * does not contain. Reads the text once; a test then costs some steps for each character of its word.
 */
export function wordFilter(text: string): (word: string) => boolean {
  const groups = new Uint8Array(SLOTS);
  let last = 0;
  for (let at = 0; at < text.length; at += 1) {
    last = next(last, text.charCodeAt(at));
    if (at >= GROUP - 1) groups[last] = 1;
  }
  return (word) => {
    let group = 0;
    for (let at = 0; at < word.length; at += 1) {
      group = next(group, word.charCodeAt(at));
      if (at >= GROUP - 1 && groups[group] === 0) return false;
    }
    return true;
  };
}

/** The group that ends with a character: five bits of each of its three characters. */
function next(group: number, code: number): number {
  return ((group << 5) | (code & 31)) & (SLOTS - 1);
}

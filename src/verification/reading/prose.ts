/** Parts of a text for detectors: what a reader takes as said, without quotations, code and markup. */

export interface Sentence {
  text: string;
  /** The line that introduces it by a colon: its own beginning, or the head of its list. Empty if there is none. */
  head: string;
}

/** Longer texts are read up to here; each pattern looks at bounded pieces. */
const MOST_READ = 65_536;
const MOST_SENTENCE = 600;

/** Quotations, code, and lines that quote. Each is bounded, so a lone sign does not hide the rest of a text. */
const QUOTED =
  /```[\s\S]{0,4000}?```|`[^`\n]{1,400}`|"[^"\n]{1,400}"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|「[^」\n]{1,400}」|(?<![\p{L}\d])['‘][^'’\n]{4,400}['’](?![\p{L}\d])|^>[^\n]{0,600}/gmu;
const MARKUP = /<!--|-->|<\/?[a-z][^<>]{0,300}>/gi;
const LIST_ITEM = /^\s{0,8}(?:[-*•·]|\d{1,3}[.)])\s/;

/** The text without quotations and code. Markup ends a sentence. */
export function withoutQuotations(text: string): string {
  return text.slice(0, MOST_READ).replace(MARKUP, '\n').replace(QUOTED, '…');
}

/** The sentences of a text, without quotations and code. */
export function sentencesOf(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let head = '';
  for (const line of withoutQuotations(text).split('\n')) {
    if (line.trim() === '') continue;
    const isItem = LIST_ITEM.test(line);
    if (!isItem) head = '';
    const pieces = line.replace(LIST_ITEM, '').split(/(?<=[.!?。！？])\s{0,8}/u);
    for (const piece of pieces) {
      const said = piece.trim().slice(0, MOST_SENTENCE);
      if (said !== '') sentences.push({ text: said, head });
    }
    if (line.trimEnd().endsWith(':')) head = (pieces.at(-1) ?? '').slice(-MOST_SENTENCE);
  }
  return sentences;
}

/** Letters and digits of a text in lower case, with one space between words. */
export function plainWordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

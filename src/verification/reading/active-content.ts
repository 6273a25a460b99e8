/** Parts of an answer that make a program run, submit or load something, or that a reader does not see as they are. */

/** Code that an answer shows is not run. */
const SHOWN_CODE = /```[\s\S]{0,20000}?```|`[^`\n]{1,400}`/g;

const ACTIVE: readonly RegExp[] = [
  /<(?:script|iframe|frame|object|embed|portal|applet)\b/i,
  /<form\b[^<>]{0,400}\baction\s{0,4}=|<input\b[^<>]{0,200}\btype\s{0,4}=\s{0,4}["']?password/i,
  /<meta\b[^<>]{0,200}\bhttp-equiv\s{0,4}=\s{0,4}["']?refresh/i,
  /<base\b[^<>]{0,200}\bhref\s{0,4}=/i,
  /<link\b[^<>]{0,300}\bhref\s{0,4}=\s{0,4}["']?(?:https?:)?\/\//i,
  /<[a-z][\w:-]{0,30}\b[^<>]{0,400}[\s"'/]on[a-z]{3,24}\s{0,4}=/i,
  /\b(?:href|src|action|formaction|data|to|values)\s{0,4}=\s{0,4}["']?\s{0,8}(?:javascript|vbscript|data:text\/html)/i,
  /\]\(\s{0,8}<?\s{0,4}(?:javascript|vbscript|data:text\/html)/i,
  /^\s{0,3}\[[^\]\n]{1,100}\]:\s{0,8}<?(?:javascript|vbscript|data:text\/html)/im,
  /@import\s{1,8}(?:url\(\s{0,4})?["']?(?:https?:)?\/\/|\bexpression\(|-moz-binding\s{0,4}:|url\(\s{0,4}["']?javascript:/i,
];

/** True for an answer with markup that runs, submits or loads something, of a kind that `input` does not have. */
export function hasActiveContent(output: string, input: string): boolean {
  if (!output.includes('<') && !/script:|data:text|@import|url\(|expression\(|-moz-binding/i.test(output))
    return false;
  const shown = output.replace(SHOWN_CODE, '…');
  return ACTIVE.some((pattern) => pattern.test(shown) && !pattern.test(input));
}

/** Letters that are not displayed and that carry a text: tags, long runs without width, runs of selectors. */
const CARRIED =
  /(?<!\u{1f3f4}[\u{e0000}-\u{e007f}]{0,32})[\u{e0001}-\u{e007f}]{4,}|[\u200b-\u200d\u2060-\u2064\ufeff\u180e]{8,}|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{3,}/u;
/** Characters without width one by one between letters that do not join. */
const SPREAD = /[\u200b\u2060-\u2064\ufeff\u180e]/gu;
const MOST_SPREAD = 16;
/** Overrides of the direction turn the letters of any script. */
const TURNED = /[\u202d\u202e]/u;
const EMBEDDED = /[\u202a\u202b\u2066\u2067\u2068]/u;
const FROM_RIGHT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** True for an answer with letters that are not displayed, or in another order, and that `input` does not have. */
export function hasHiddenText(output: string, input: string): boolean {
  const isHidden = (text: string) =>
    CARRIED.test(text) ||
    TURNED.test(text) ||
    (EMBEDDED.test(text) && !FROM_RIGHT.test(text)) ||
    (text.match(SPREAD)?.length ?? 0) > MOST_SPREAD;
  return isHidden(output) && !isHidden(input);
}

/**
 * Sequences that make a terminal do something beside colours: titles, links, the clipboard, moves, deletions, resets.
 * Colours end with `m`.
 */
const ESCAPE = '\\u001b';
const ESCAPES = new RegExp(
  `${ESCAPE}(?:[\\]PX^_c]|\\[[0-9;:?<=>!]{0,40}[ -/]{0,4}[@-ln-~])|[\\u0090\\u009d-\\u009f]|\\u009b[0-9;:?<=>!]{0,40}[@-ln-~]`,
);

/** True for an answer with sequences that control a terminal, and that `input` does not have. */
export function hasTerminalEscapes(output: string, input: string): boolean {
  return ESCAPES.test(output) && !ESCAPES.test(input);
}

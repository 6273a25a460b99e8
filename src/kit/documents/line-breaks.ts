const words = new Intl.Segmenter('en', { granularity: 'word' });
const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Splits a text into lines that fit: between words, and within a word that fits no line. */
export function linesOf(text: string, width: number, widthOf: (text: string) => number): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const piece of piecesOf(text)) {
    if (widthOf((line + piece).trimEnd()) <= width) {
      line += piece;
      continue;
    }
    if (line !== '') lines.push(line.trimEnd());
    const parts = widthOf(piece.trimEnd()) <= width ? [piece] : splitWord(piece, width, widthOf);
    lines.push(...parts.slice(0, -1));
    line = parts.at(-1) ?? '';
  }
  return [...lines, line.trimEnd()];
}

/** Words with what follows them, such as a space or a comma: a line begins with a word. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (const { segment, isWordLike } of words.segment(text)) {
    if (isWordLike || pieces.length === 0) pieces.push(segment);
    else pieces[pieces.length - 1] += segment;
  }
  return pieces;
}

function splitWord(word: string, width: number, widthOf: (text: string) => number): string[] {
  const parts = [''];
  for (const { segment } of clusters.segment(word)) {
    const longer = (parts.at(-1) ?? '') + segment;
    if (widthOf(longer) <= width) parts[parts.length - 1] = longer;
    else parts.push(segment);
  }
  return parts;
}

import createBidi from 'bidi-js';
import { fontRuns, type FontName, type Weight } from './fonts';

/** A piece of a line that one font draws in one direction; the pieces of a line stand from left to right. */
export interface VisualRun {
  font: FontName;
  /** In the order of reading. */
  text: string;
  rightToLeft: boolean;
}

const bidi = createBidi();
const LEFT_TO_RIGHT = /^[\x20-\u0590]*$/;
/** What no reader sees: controls, and marks of direction, which the order of the runs replaces. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** A text for one line: composed characters, one space for what breaks lines, nothing that cannot be seen. */
export const printable = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/[\s\u0085]+/g, ' ')
    .replaceAll(UNSEEN, '');

/** The runs of a line from left to right (Unicode Bidirectional Algorithm). Its own letters give its direction. */
export function visualRuns(line: string, weight: Weight): VisualRun[] {
  const leftToRight = (text: string) => fontRuns(text, weight).map((run) => ({ ...run, rightToLeft: false }));
  if (LEFT_TO_RIGHT.test(line)) return leftToRight(line);
  const { levels, paragraphs } = bidi.getEmbeddingLevels(line);
  const runs: { text: string; level: number }[] = [];
  for (let at = 0; at < line.length; at += 1) {
    const level = levels[at] ?? 0;
    const last = runs.at(-1);
    const mirrored = level % 2 === 1 ? bidi.getMirroredCharacter(line.charAt(at)) : null;
    const character = mirrored ?? line.charAt(at);
    if (last?.level === level) last.text += character;
    else runs.push({ text: character, level });
  }
  return inVisualOrder(runs, paragraphs[0]?.level ?? 0).flatMap(({ text, level }) => {
    if (level % 2 === 0) return leftToRight(text);
    return fontRuns(text, weight)
      .map((run) => ({ ...run, rightToLeft: true }))
      .reverse();
  });
}

/** Rule L2: from the highest level down to the lowest odd one, what stands at that level or above is reversed. */
function inVisualOrder<T extends { level: number }>(runs: readonly T[], base: number): T[] {
  const ordered = [...runs];
  const highest = Math.max(...runs.map(({ level }) => level), base);
  for (let level = highest; level > 0; level -= 1) {
    for (let from = 0; from < ordered.length; from += 1) {
      let to = from;
      while (to < ordered.length && (ordered[to]?.level ?? 0) >= level) to += 1;
      if (to > from) ordered.splice(from, to - from, ...ordered.slice(from, to).reverse());
      from = Math.max(from, to);
    }
  }
  return ordered;
}

/**
 * The fonts of documents, and which of them writes which text. DejaVu Sans has the scripts of Europe, Arabic and
 * Hebrew; Noto Sans Devanagari shapes Devanagari; UnifontEX, whose shapes are plain, has the characters of every other
 * script, Chinese, Japanese and Korean among them. A character of none is written as its code point: [U+1F9FF].
 */
import { readFileSync } from 'node:fs';
import { create, type Font } from 'fontkit';
import { sfntOf } from './sfnt';

const FILES = {
  text: '@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff',
  strong: '@fontsource/dejavu-sans/files/dejavu-sans-latin-700-normal.woff',
  devanagari: '@fontsource/noto-sans-devanagari/files/noto-sans-devanagari-devanagari-400-normal.woff',
  devanagariStrong: '@fontsource/noto-sans-devanagari/files/noto-sans-devanagari-devanagari-700-normal.woff',
  others: '@fontsource/unifontex/files/unifontex-latin-400-normal.woff',
} as const;
export type FontName = keyof typeof FILES;

/** The first font of the weight that has every character of a cluster writes it. */
const CHAINS = {
  text: ['text', 'devanagari', 'others'],
  strong: ['strong', 'devanagariStrong', 'others'],
} as const satisfies Record<string, readonly FontName[]>;
export type Weight = keyof typeof CHAINS;

interface LoadedFont {
  file: Buffer;
  font: Font;
}
const loaded = new Map<FontName, LoadedFont>();

function load(name: FontName): LoadedFont {
  const known = loaded.get(name);
  if (known) return known;
  const file = sfntOf(readFileSync(require.resolve(FILES[name])));
  const font = { file, font: create(file) as Font };
  loaded.set(name, font);
  return font;
}

/** The bytes of a font, as TrueType. */
export const fontFile = (name: FontName): Buffer => load(name).file;

const ASCII_CODES = Array.from({ length: 128 }, (_, code) => code);
const asciiWidths = new Map<FontName, number[]>();

/** The width of an ASCII text at size 1, without kerning: the widths of its letters. */
export function asciiWidth(name: FontName, text: string): number {
  let widths = asciiWidths.get(name);
  if (!widths) {
    const { font } = load(name);
    widths = ASCII_CODES.map((code) => font.glyphForCodePoint(code).advanceWidth / font.unitsPerEm);
    asciiWidths.set(name, widths);
  }
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum += widths[text.charCodeAt(at)] ?? 0;
  return sum;
}

export interface FontRun {
  font: FontName;
  text: string;
}

const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' });
const between = (from: number, to: number) => (code: number) => code >= from && code <= to;
/** Joiners and selectors of variants, which choose between shapes and have none. */
const SHAPELESS = [
  between(0x200c, 0x200d),
  between(0x2060, 0x2060),
  between(0xfe00, 0xfe0f),
  between(0xe0100, 0xe01ef),
];
const ASCII = /^[\x20-\x7e]*$/;
const SPACES = /^[\p{Z}\p{M}]+$/u;

/** Splits a text by the fonts that write it. What no font has becomes its code point in brackets. */
export function fontRuns(text: string, weight: Weight): FontRun[] {
  const [first] = CHAINS[weight];
  if (ASCII.test(text)) return [{ font: first, text }];
  const runs: FontRun[] = [];
  for (const { segment } of clusters.segment(text)) {
    const last = runs.at(-1);
    const written = fontOf(segment, weight, last?.font);
    if (last?.font === written.font) last.text += written.text;
    else runs.push(written);
  }
  return runs;
}

function fontOf(cluster: string, weight: Weight, before: FontName | undefined): FontRun {
  const chain = CHAINS[weight];
  const points = Array.from(cluster, (character) => character.codePointAt(0) ?? 0).filter(
    (code) => !SHAPELESS.some((has) => has(code)),
  );
  const has = (name: FontName) => points.every((code) => load(name).font.hasGlyphForCodePoint(code));
  // Spaces between words of a script stay in its font, so that it is shaped as one.
  if (before !== undefined && SPACES.test(cluster) && has(before)) return { font: before, text: cluster };
  const font = chain.find(has);
  if (font !== undefined) return { font, text: cluster };
  const codes = points.map((code) => `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`);
  return { font: chain[0], text: codes.join('') };
}

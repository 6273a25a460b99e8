import type PDFDocument from 'pdfkit';
import { asciiWidth, fontFile, type FontName, type Weight } from './fonts';
import { linesOf } from './line-breaks';
import { printable, visualRuns, type VisualRun } from './visual-runs';

export interface TextStyle {
  size: number;
  weight?: Weight;
  colour?: string;
  right?: boolean;
}

/** Draws text of any script on the pages of a PDF. */
export interface PageText {
  /** The lines that a text takes within a width. */
  lines(text: string, width: number, style: TextStyle): string[];
  /** Draws one line whose top is at `y`. */
  draw(line: string, box: { x: number; y: number; width: number }, style: TextStyle): void;
}

/** Their glyphs stand in another order than the letters, so the file says what the letters are. */
const REORDERED: ReadonlySet<FontName> = new Set(['devanagari', 'devanagariStrong']);
/** A list of features makes the library shape a run as one. Its own way, which it remembers, is word by word. */
const AS_ONE = { features: [] };
const ASCII = /^[\x20-\x7e]*$/;

export type Pdf = InstanceType<typeof PDFDocument>;

export function createPageText(pdf: Pdf): PageText {
  const known = new Set<FontName>();
  const select = (font: FontName, size: number) => {
    if (!known.has(font)) pdf.registerFont(font, fontFile(font));
    known.add(font);
    pdf.font(font, size);
  };
  const widthOfRun = ({ font, text }: VisualRun, size: number) => {
    if (ASCII.test(text)) return asciiWidth(font, text) * size;
    select(font, size);
    return pdf.widthOfString(text, AS_ONE);
  };
  const widthOf = (line: string, { size, weight = 'text' }: TextStyle) =>
    visualRuns(line, weight).reduce((sum, run) => sum + widthOfRun(run, size), 0);

  return {
    lines: (text, width, style) => linesOf(printable(text), width, (line) => widthOf(line, style)),
    draw(line, { x, y, width }, style) {
      const { size, weight = 'text', colour = '#000' } = style;
      let at = style.right ? x + width - widthOf(line, style) : x;
      pdf.fillColor(colour);
      for (const run of visualRuns(line, weight)) {
        select(run.font, size);
        const isReordered = REORDERED.has(run.font);
        if (isReordered) pdf.markContent('Span', { actual: run.text });
        const shaping = ASCII.test(run.text) ? {} : AS_ONE;
        pdf.text(run.text, at, y, { ...shaping, lineBreak: false, baseline: 'alphabetic' });
        if (isReordered) pdf.endMarkedContent();
        at += widthOfRun(run, size);
      }
    },
  };
}

/** Sets a document on A4 pages and writes them as PDF, with the parts of the fonts that it uses. */
import PDFDocument from 'pdfkit';
import { embedFacturX } from './factur-x';
import type { DocumentColumn, DocumentPart, DocumentTable, PrintedDocument } from './document';
import { createPageText, type PageText, type Pdf, type TextStyle } from './page-text';

const A4 = { width: 595.28, height: 841.89 };
const MARGIN = 54;
const WIDTH = A4.width - 2 * MARGIN;
const BOTTOM = A4.height - MARGIN;
const LINE = 1.4;
/** Where letters stand in their line, from its top. */
const BASELINE = 1;

const TITLE = { size: 17, weight: 'strong' } as const;
const TEXT = { size: 9 };
const RIGHT = { ...TEXT, right: true };
const SMALL = { size: 8, colour: '#555' };
const STRONG = { size: 9, weight: 'strong' } as const;
const RULE = '#bbb';
const GAP = 16;
/** Between columns. */
const SPACE = 10;
const NAME_WIDTH = 120;
/** The columns of names and values. */
const NAMES = [
  { x: MARGIN, width: NAME_WIDTH },
  { x: MARGIN + NAME_WIDTH, width: WIDTH - NAME_WIDTH },
] as const;
/** The height for lines on an empty page. */
const TALLEST = BOTTOM - GAP - MARGIN;

/** `facturX`: the invoice as CII, which the file then contains; the file is PDF/A-3. */
export async function writePdf(document: PrintedDocument, facturX: string | null = null): Promise<Buffer> {
  const pdf = new PDFDocument({
    size: 'A4',
    pdfVersion: '1.7',
    ...(facturX !== null && { subset: 'PDF/A-3b' as const }),
    margin: 0,
    font: '',
    bufferPages: true,
    lang: 'en',
    displayTitle: true,
    info: { Title: document.title, CreationDate: document.at },
  });
  const chunks: Buffer[] = [];
  const written = new Promise<void>((resolve) => pdf.on('end', resolve));
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const page = createPage(pdf, createPageText(pdf));
  setHead(page, document);
  for (const part of document.parts) setPart(page, part);
  page.numbers(document.title);
  if (facturX !== null) embedFacturX(pdf, facturX, document.at);
  pdf.end();
  await written;
  return Buffer.concat(chunks);
}

interface Box {
  x: number;
  width: number;
}
const WHOLE: Box = { x: MARGIN, width: WIDTH };

/** Texts in a box, each beginning a new line. */
interface Cell extends Box {
  words: readonly string[];
  style: TextStyle;
}
interface SetCell {
  box: Box;
  style: TextStyle;
  lines: readonly string[];
}

const heightOf = (cells: readonly SetCell[]) =>
  Math.max(0, ...cells.map(({ lines, style }) => lines.length * style.size * LINE));

/** Cuts cells at a height: the lines that fit, at least one of each cell, and the lines that remain. */
function cutAt(cells: readonly SetCell[], height: number): [here: SetCell[], rest: SetCell[]] {
  const parts = cells.map((cell): [SetCell, SetCell] => {
    const fitting = Math.max(1, Math.floor(height / (cell.style.size * LINE) + 1e-6));
    const { lines } = cell;
    return [
      { ...cell, lines: lines.slice(0, fitting) },
      { ...cell, lines: lines.slice(fitting) },
    ];
  });
  return [parts.map(([here]) => here), parts.map(([, rest]) => rest)];
}

/** Where the next line stands, on the pages so far. */
function createPage(pdf: Pdf, text: PageText) {
  let y = MARGIN;
  const breakAt = (height: number): boolean => {
    if (y + height <= BOTTOM - GAP) return false;
    pdf.addPage();
    y = MARGIN;
    return true;
  };

  /**
   * Draws texts beside each other, each with its lines below its first one, and goes below all of them. Texts for which
   * the page has no room stand on the next one, those that are taller than a page on several; `head` is set on each.
   */
  function beside(cells: readonly Cell[], head?: () => void): void {
    let rest = cells.map(({ words, style, ...box }): SetCell => {
      return { box, style, lines: words.flatMap((each) => text.lines(each, box.width, style)) };
    });
    do {
      if (breakAt(Math.min(heightOf(rest), TALLEST))) head?.();
      const [here, next] = cutAt(rest, BOTTOM - GAP - y);
      for (const { box, style, lines } of here)
        for (const [index, line] of lines.entries())
          text.draw(line, { ...box, y: y + (index * LINE + BASELINE) * style.size }, style);
      y += heightOf(here);
      rest = next;
    } while (heightOf(rest) > 0);
  }

  return {
    breakAt,
    beside,
    /** A text that may go on on the next page. */
    paragraph(words: string, style: TextStyle, box: Box = WHOLE): void {
      for (const line of text.lines(words, box.width, style)) beside([{ ...box, words: [line], style }]);
    },
    rule(): void {
      pdf
        .moveTo(MARGIN, y)
        .lineTo(MARGIN + WIDTH, y)
        .lineWidth(0.5)
        .strokeColor(RULE)
        .stroke();
      y += 4;
    },
    space(height: number): void {
      y += height;
    },
    /** The title and the number of each page at its foot, when there are several. */
    numbers(title: string): void {
      const { count } = pdf.bufferedPageRange();
      for (let index = 0; count > 1 && index < count; index += 1) {
        pdf.switchToPage(index);
        text.draw(`${title} · ${index + 1} of ${count}`, { ...WHOLE, y: BOTTOM }, SMALL);
      }
    },
  };
}

type Page = ReturnType<typeof createPage>;

function setHead(page: Page, { title, issuer = [] }: PrintedDocument): void {
  const width = issuer.length > 0 ? WIDTH * 0.6 : WIDTH;
  const rest = { x: MARGIN + width + SPACE, width: WIDTH - width - SPACE };
  const left = { x: MARGIN, width, words: [title], style: TITLE };
  page.beside([left, ...(issuer.length > 0 ? [{ ...rest, words: issuer, style: RIGHT }] : [])]);
  page.space(GAP);
}

function setPart(page: Page, part: DocumentPart): void {
  if (part.kind === 'table') setTable(page, part);
  if (part.kind === 'text') page.paragraph(part.text, part.strong ? STRONG : TEXT);
  if (part.kind === 'lines') {
    page.paragraph(part.title, SMALL);
    for (const line of part.lines) page.paragraph(line, TEXT);
  }
  if (part.kind === 'facts')
    for (const [name, value] of part.rows) {
      const [first, second] = NAMES;
      page.beside([
        { ...first, words: [name], style: SMALL },
        { ...second, words: [value], style: TEXT },
      ]);
    }
  page.space(GAP);
}

function setTable(page: Page, { columns, rows, total }: DocumentTable): void {
  const head = () => {
    setRow(page, columns, { cells: columns.map(({ title }) => title), style: SMALL });
    page.rule();
  };
  page.breakAt(60);
  head();
  for (const cells of rows) setRow(page, columns, { cells, style: TEXT, head });
  page.rule();
  if (total) setRow(page, columns, { cells: total, style: STRONG });
}

function setRow(
  page: Page,
  columns: readonly DocumentColumn[],
  { cells, style, head }: { cells: readonly string[]; style: TextStyle; head?: () => void },
): void {
  const all = columns.reduce((sum, { share }) => sum + share, 0);
  let x = MARGIN;
  const boxes = columns.map(({ share, right = false }, index) => {
    const width = ((WIDTH - SPACE * (columns.length - 1)) * share) / all;
    const box = { x, width, words: [cells[index] ?? ''], style: { ...style, right } };
    x += width + SPACE;
    return box;
  });
  page.beside(boxes, head);
  page.space(3);
}

/** Sets a document on A4 pages and writes them as PDF, with the parts of the fonts that it uses. */
import PDFDocument from 'pdfkit';
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
const LONGEST_VALUE = 40;

export async function writePdf(document: PrintedDocument): Promise<Buffer> {
  const pdf = new PDFDocument({
    size: 'A4',
    pdfVersion: '1.7',
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
  pdf.end();
  await written;
  return Buffer.concat(chunks);
}

interface Box {
  x: number;
  width: number;
}
const WHOLE: Box = { x: MARGIN, width: WIDTH };

/** Where the next line stands, on the pages so far. */
function createPage(pdf: Pdf, text: PageText) {
  let y = MARGIN;
  const breakAt = (height: number): boolean => {
    if (y + height <= BOTTOM - GAP) return false;
    pdf.addPage();
    y = MARGIN;
    return true;
  };

  /** Draws texts beside each other, each with its lines below its first one, and goes below all of them. */
  function beside(cells: readonly (Box & { words: readonly string[]; style: TextStyle })[]): void {
    const heights = cells.map(({ words, style, ...box }) => {
      const lines = words.flatMap((each) => text.lines(each, box.width, style));
      for (const [index, line] of lines.entries())
        text.draw(line, { ...box, y: y + (index * LINE + BASELINE) * style.size }, style);
      return lines.length * style.size * LINE;
    });
    y += Math.max(...heights);
  }

  return {
    breakAt,
    beside,
    /** A text that may go on on the next page. */
    paragraph(words: string, style: TextStyle, box: Box = WHOLE): void {
      for (const line of text.lines(words, box.width, style)) {
        breakAt(style.size * LINE);
        beside([{ ...box, words: [line], style }]);
      }
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
      page.breakAt(LONGEST_VALUE);
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
  for (const cells of rows) {
    if (page.breakAt(24)) head();
    setRow(page, columns, { cells, style: TEXT });
  }
  page.rule();
  page.breakAt(24);
  if (total) setRow(page, columns, { cells: total, style: STRONG });
}

function setRow(
  page: Page,
  columns: readonly DocumentColumn[],
  { cells, style }: { cells: readonly string[]; style: TextStyle },
): void {
  const all = columns.reduce((sum, { share }) => sum + share, 0);
  let x = MARGIN;
  const boxes = columns.map(({ share, right = false }, index) => {
    const width = ((WIDTH - SPACE * (columns.length - 1)) * share) / all;
    const box = { x, width, words: [cells[index] ?? ''], style: { ...style, right } };
    x += width + SPACE;
    return box;
  });
  page.beside(boxes);
  page.space(3);
}

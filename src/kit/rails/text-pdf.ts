/** Writes plain text lines as PDF 1.4 in Courier, a font that every reader has. The output is deterministic. */
const PAGE = { width: 595, height: 842, margin: 48, size: 9, leading: 12 };
const LINES_PER_PAGE = Math.floor((PAGE.height - 2 * PAGE.margin) / PAGE.leading) - 2;
const COLUMNS = 92;

/** Prints `lines` below `title` on as many A4 pages as needed. */
export function writeTextPdf(title: string, lines: readonly string[]): Buffer {
  const cut = lines.flatMap((line) => wrap(line));
  const pages: string[][] = [];
  for (let at = 0; at < Math.max(1, cut.length); at += LINES_PER_PAGE)
    pages.push(cut.slice(at, at + LINES_PER_PAGE));
  const firstPage = 4;
  const kids = pages.map((_, index) => `${firstPage + index * 2} 0 R`);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap((page, index) =>
      pageObjects(page, firstPage + index * 2 + 1, title, index, pages.length),
    ),
  ];
  return assemble(objects);
}

function pageObjects(lines: readonly string[], contentId: number, title: string, index: number, of: number) {
  const top = PAGE.height - PAGE.margin;
  const head = of > 1 ? `${title} - ${index + 1}/${of}` : title;
  const shown = [head, '', ...lines].map((line) => `(${escape(line)}) Tj T*`).join('\n');
  const content = `BT\n/F1 ${PAGE.size} Tf\n${PAGE.leading} TL\n${PAGE.margin} ${top} Td\n${shown}\nET`;
  return [
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] ` +
      `/Resources << /Font << /F1 3 0 R >> >> /Contents ${contentId} 0 R >>`,
    `<< /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`,
  ];
}

/** Joins the objects and appends the cross-reference table. */
function assemble(objects: readonly string[]): Buffer {
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(
    `${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`,
    'latin1',
  );
}

function wrap(line: string): string[] {
  if (line.length <= COLUMNS) return [line];
  return [line.slice(0, COLUMNS), ...wrap(line.slice(COLUMNS))];
}

/** Escapes backslashes and parentheses; characters outside Latin-1 become question marks. */
function escape(line: string): string {
  return line.replace(/[\\()]/g, '\\$&').replace(/[^\x20-\x7e\xa0-\xff]/g, '?');
}

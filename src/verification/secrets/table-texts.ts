/** Writes the cells of secret columns of a table as settings, so that the rules for names beside values see them. */

const COLUMN =
  /(?:^|[\s_-])(?:password|passwd|passphrase|secret|token|api[\s_-]?key|access[\s_-]?key|private[\s_-]?key|key)$/i;
const NO_SECRET = /public|hash|primary|foreign|sort/i;
const MOST_ROWS = 5_000;
/** The value must look random: letters and digits, no blanks. */
const VALUE = /^[^\s<>{}$%]{12,300}$/;
const looksRandom = (value: string) => VALUE.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value);

export interface TableText {
  text: string;
  /** Line of the file, by line of the text (both from 0). */
  lines: number[];
}

/** Undefined for a file that is no table or has no column of secrets. */
export function tableText(path: string, text: string): TableText | undefined {
  if (!/\.(?:csv|tsv)$/i.test(path)) return undefined;
  const rows = text.split('\n', MOST_ROWS);
  const head = rows[0] ?? '';
  const separator = [',', ';', '\t', '|'].find((one) => head.includes(one));
  if (separator === undefined) return undefined;
  const names = cellsOf(head, separator);
  const columns = names.flatMap((name, at) => (COLUMN.test(name) && !NO_SECRET.test(name) ? [at] : []));
  if (columns.length === 0) return undefined;
  const found: string[] = [];
  const lines: number[] = [];
  for (const [line, row] of rows.entries()) {
    if (line === 0) continue;
    const cells = cellsOf(row, separator);
    for (const at of columns) {
      const value = cells[at] ?? '';
      if (!looksRandom(value)) continue;
      found.push(`column_secret_key = "${value}"`);
      lines.push(line);
    }
  }
  return found.length === 0 ? undefined : { text: found.join('\n'), lines };
}

function cellsOf(row: string, separator: string): string[] {
  return row
    .replace(/\r$/, '')
    .split(separator)
    .map((cell) => cell.trim().replaceAll(/^"|"$/g, ''));
}

/** Tables as comma-separated values (RFC 4180), which spreadsheets open. */
export interface CsvColumn<T> {
  title: string;
  value: (row: T) => string | number | null | undefined;
}

/** Spreadsheets run a text that begins so as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

export function csvOf<T>(columns: readonly CsvColumn<T>[], rows: readonly T[]): string {
  const lines = [
    columns.map(({ title }) => cellOf(title)),
    ...rows.map((row) => columns.map(({ value }) => cellOf(value(row)))),
  ];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

function cellOf(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

interface PageOfRows<T> {
  items: readonly T[];
  next_cursor: string | null;
}

/** Reads the pages of a list up to `most` rows. `isWhole` is false if the list has more. */
export async function rowsOf<T>(
  readPage: (cursor: string | null) => Promise<PageOfRows<T>>,
  most: number,
): Promise<{ rows: T[]; isWhole: boolean }> {
  const rows: T[] = [];
  let cursor: string | null = null;
  do {
    const page: PageOfRows<T> = await readPage(cursor);
    rows.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null && rows.length < most);
  return { rows: rows.slice(0, most), isWhole: cursor === null && rows.length <= most };
}

/**
 * Writes RFC 4180 CSV with CRLF. A cell that a spreadsheet would evaluate as a formula is prefixed with an
 * apostrophe, unless the file is for a program that takes each cell as it is (`exact`).
 */
export function writeCsv(
  rows: readonly (readonly (string | number)[])[],
  { exact = false }: { exact?: boolean } = {},
): string {
  return rows.map((row) => `${row.map((value) => cell(value, exact)).join(',')}\r\n`).join('');
}

function cell(value: string | number, exact: boolean): string {
  if (typeof value === 'number') return String(value);
  const safe = !exact && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

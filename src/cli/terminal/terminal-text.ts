export type TableRow = readonly string[];

/** Formats rows as columns of equal width. Control characters in untrusted values are removed. */
export function tableText(rows: readonly TableRow[]): string {
  const clean = rows.map((row) => row.map(oneLine));
  const widths = (clean[0] ?? []).map((_, column) =>
    Math.max(...clean.map((row) => (row[column] ?? '').length)),
  );
  return clean
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * Formats a list: a table, or one block for each row where the terminal is narrower than the table. Output that goes
 * elsewhere is always a table.
 */
export function listText(
  head: TableRow,
  rows: readonly TableRow[],
  columns: number | undefined = process.stdout.columns,
): string {
  const table = tableText([head, ...rows]);
  const width = Math.max(...table.split('\n').map((line) => line.length));
  if (columns === undefined || width <= columns) return table;
  return rows.map((row) => tableText(head.map((name, at) => [name, row[at] ?? '']))).join('\n\n');
}

/** Untrusted text for one line of a terminal: control characters become spaces. */
export function oneLine(text: string): string {
  // eslint-disable-next-line no-control-regex -- they are what is removed
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}

/** Untrusted text for a terminal, with its line breaks. Text for a file or a pipe stays unchanged. */
export function forTerminal(text: string): string {
  if (!process.stdout.isTTY) return text;
  // eslint-disable-next-line no-control-regex -- they are what is removed
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

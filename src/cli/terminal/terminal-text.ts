export type TableRow = readonly string[];

/** Rows with columns of equal width, without control characters that strangers may have put into names. */
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

/** Text of strangers for a terminal: no escape sequences, no line breaks. */
export function oneLine(text: string): string {
  // eslint-disable-next-line no-control-regex -- they are what is removed
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}

/** The same for longer texts, which keep their lines; what goes to a file or a program stays as it is. */
export function forTerminal(text: string): string {
  if (!process.stdout.isTTY) return text;
  // eslint-disable-next-line no-control-regex -- they are what is removed
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

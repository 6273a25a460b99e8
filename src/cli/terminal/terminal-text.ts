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

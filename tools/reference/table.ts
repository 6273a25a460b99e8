/** Markdown tables, as Prettier writes them. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [header, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|').trim()));
  const widths = header.map((_name, at) => Math.max(3, ...cells.map((row) => [...(row[at] ?? '')].length)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, at) => (row[at] ?? '') + ' '.repeat(width - [...(row[at] ?? '')].length)).join(' | ')} |`;
  const [head = [], ...body] = cells;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(head), rule, ...body.map(line)].join('\n');
}

export const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

/** The first lines of a page that a script writes. */
export function generated(title: string, source: string, ...paragraphs: string[]): string {
  return [
    `# ${title}`,
    `<!-- Written by \`npm run reference\` from ${source}. Change the source, and run it again. -->`,
    ...paragraphs,
  ].join('\n\n');
}

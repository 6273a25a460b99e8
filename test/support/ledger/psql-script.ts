/**
 * Runs a script of psql and returns what `psql --echo-all` prints, for machines without psql: statements, comments,
 * `\set` and `:'name'`. Spaces at the ends of lines are left out.
 */
import { types, type ClientBase, type QueryArrayResult } from 'pg';

/** Types that psql aligns to the right. */
const NUMBERS: readonly number[] = [
  types.builtins.INT2,
  types.builtins.INT4,
  types.builtins.INT8,
  types.builtins.NUMERIC,
];

export async function runScript(client: ClientBase, script: string): Promise<string> {
  const variables = new Map<string, string>();
  const out: string[] = [];
  let statement = '';
  for (const line of script.trimEnd().split('\n')) {
    if (line === '' && statement === '') continue;
    out.push(line);
    const [, name, value] = /^\\set (\w+) (.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) {
      variables.set(name, value.replace(/^'(.*)'$/, '$1').replaceAll("''", "'"));
      continue;
    }
    if (line.startsWith('--')) continue;
    statement += `${line}\n`;
    if (!line.endsWith(';')) continue;
    const result = await client.query<string[]>({
      text: inserted(statement, variables),
      rowMode: 'array',
      types: { getTypeParser: () => (text: string) => text },
    });
    out.push(...printed(result));
    statement = '';
  }
  return `${out.map((line) => line.trimEnd()).join('\n')}\n`;
}

function inserted(statement: string, variables: Map<string, string>): string {
  return statement.replaceAll(/(?<!:):('?)(\w+)\1/g, (whole, quote: string, name: string) => {
    const value = variables.get(name);
    return value === undefined ? whole : quote + value + quote;
  });
}

function printed(result: QueryArrayResult<string[]>): string[] {
  const { command, fields, rows } = result;
  if (fields.length === 0)
    return [command === 'INSERT' ? `INSERT 0 ${result.rowCount}` : `${command} ${result.rowCount}`];
  const cells = rows.map((row) => row.map((value: string | null) => value ?? ''));
  const widths = fields.map(({ name }, at) =>
    Math.max(name.length, ...cells.map((row) => (row[at] ?? '').length)),
  );
  const centred = (text: string, width: number) => {
    const before = Math.floor((width - text.length) / 2);
    return `${' '.repeat(before)}${text}`.padEnd(width);
  };
  const aligned = (text: string, at: number) =>
    NUMBERS.includes(fields[at]?.dataTypeID ?? 0)
      ? text.padStart(widths[at] ?? 0)
      : text.padEnd(widths[at] ?? 0);
  return [
    ` ${fields.map(({ name }, at) => centred(name, widths[at] ?? 0)).join(' | ')}`,
    widths.map((width) => '-'.repeat(width + 2)).join('+'),
    ...cells.map((row) => ` ${row.map(aligned).join(' | ')}`),
    `(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`,
    '',
  ];
}

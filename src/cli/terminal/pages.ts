import type { Command } from 'commander';
import type { MarketApi } from '../api-client';
import type { VerbResult } from '../command-line';
import type { GlobalOptions } from '../connect';
import { oneLine, tableText } from './terminal-text';

/** A page of any list of the API. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
  total: number;
}

export interface PageOptions extends GlobalOptions {
  limit?: string;
  cursor?: string;
}

/** The options that every list has. */
export function withPages(command: Command): Command {
  return command
    .option('--limit <number>', '1 to 100')
    .option('--cursor <cursor>', 'the next page of the same list');
}

/** Reads one page as a table; `filter` holds what else the list takes, undefined for what was not given. */
export async function listVerb<T>(
  api: MarketApi,
  path: string,
  options: PageOptions,
  table: {
    head: readonly string[];
    row: (item: T) => readonly string[];
    filter?: Record<string, string | undefined>;
  },
): Promise<VerbResult> {
  const { limit, cursor } = options;
  const given = Object.entries({ ...table.filter, limit, cursor }).filter(
    (field): field is [string, string] => field[1] !== undefined,
  );
  const query = given.length > 0 ? `?${new URLSearchParams(given).toString()}` : '';
  const page = await api.call<Page<T>>('GET', `${path}${query}`);
  if (page.items.length === 0) return { text: 'Nothing found.', json: page };
  const more = page.next_cursor ? `\nmore: --cursor ${page.next_cursor}` : '';
  const text = tableText([table.head, ...page.items.map(table.row)]);
  return { text: `${text}\n${page.items.length} of ${page.total}${more}`, json: page };
}

/** One record, a field a line; what is null or not there is left out, lists and objects are JSON. */
export function fieldsText(record: object): string {
  const fields = Object.entries(record).filter(([, value]) => value !== null && value !== undefined);
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return fields
    .map(([name, value]) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
      return `${name.replaceAll('_', ' ').padEnd(width)}  ${oneLine(text)}`;
    })
    .join('\n');
}

/** The same as the result of a verb. */
export function recordResult(record: object): VerbResult {
  return { text: fieldsText(record), json: record };
}

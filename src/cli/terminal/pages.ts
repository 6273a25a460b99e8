import type { Command } from 'commander';
import type { MarketApi } from '../api-client';
import type { VerbResult } from '../command-line';
import type { GlobalOptions } from '../connect';
import { listText, oneLine } from './terminal-text';

/** A page of a list of the API. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
  /** Undefined for long lists. */
  total?: number;
}

export interface PageOptions extends GlobalOptions {
  limit?: string;
  cursor?: string;
}

/** Adds the options that every list has. */
export function withPages(command: Command): Command {
  return command
    .option('--limit <number>', 'rows per page, 1 to 100')
    .option('--cursor <cursor>', 'cursor of the next page of the same list');
}

/** Fetches one page and formats it as a table. `filter` holds further query parameters; undefined ones are omitted. */
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
  const page = await api.call<Page<T>>('GET', withQuery(path, { ...table.filter, limit, cursor }));
  if (page.items.length === 0 && !page.next_cursor) return { text: 'Nothing found.', json: page };
  const more = page.next_cursor ? `\nmore: --cursor ${page.next_cursor}` : '';
  const text = listText(table.head, page.items.map(table.row));
  return { text: `${text}\n${page.items.length}${ofTotal(page.total)}${more}`, json: page };
}

/** Adds the parameters that are given to a path. */
export function withQuery(path: string, parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).filter(
    (field): field is [string, string] => field[1] !== undefined,
  );
  return given.length > 0 ? `${path}?${new URLSearchParams(given).toString()}` : path;
}

/** ` of 12`, or how much more a long list has at least. */
export function ofTotal(total: number | undefined): string {
  return ` of ${total ?? 'more than 1000'}`;
}

/** Formats a record, one field per line. Null fields are omitted; arrays and objects are printed as JSON. */
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

/** Wraps a record as a verb's result: its fields as text, the record itself as JSON. */
export function recordResult(record: object): VerbResult {
  return { text: fieldsText(record), json: record };
}

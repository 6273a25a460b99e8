/**
 * The rules of every list: default limit, cursors, and how a page knows that another one follows. Services know
 * positions only; cursors begin and end here.
 */
import { DEFAULT_PAGE_LIMIT } from '../../contract/common';
import { MarketError } from '../../domain/errors';
import { MOST_COUNTED } from '../../domain/list-total';
import { decodeCursor, encodeCursor } from '../../kit/ids/cursor';

export interface PageQuery {
  limit?: number;
  cursor?: string;
}

/** Which list a page belongs to. */
export interface ListName {
  /** Name and filters of the list. A cursor of a list with another name or filter is refused. */
  list: readonly unknown[];
  /** The form of each part of a position in the list. */
  position: readonly RegExp[];
}

interface Found<Row> {
  rows: readonly Row[];
  /** More than `MOST_COUNTED` if it is not known. */
  total: number;
  /** The position at which the search for matching rows ended, if the list goes on behind it. */
  reached?: readonly string[] | undefined;
}

/**
 * Reads up to `limit` rows after a position, in the order of the list. The position is empty for the first page, and
 * has all its parts otherwise.
 */
type Find<Row> = (position: readonly string[], limit: number) => Promise<Found<Row>>;

/** What a position in a list of ids such as `inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b` looks like. */
export function idPosition(prefix: string): RegExp[] {
  return [new RegExp(`^${prefix}_[0-9a-f]{32}$`)];
}

/**
 * A page `{items, next_cursor, total}` of a list, without `total` if the list is long. Throws 422 `validation_failed`
 * for a cursor of another list, and for one whose position does not have the list's form.
 */
export async function listPage<Row, View>(
  { query, ...name }: ListName & { query: PageQuery },
  find: Find<Row>,
  show: { position: (row: Row) => readonly string[]; view: (row: Row) => View },
): Promise<{ items: View[]; next_cursor: string | null; total?: number }> {
  const { limit = DEFAULT_PAGE_LIMIT, cursor } = query;
  const { rows, next, total } = await readPage({ ...name, limit, cursor }, find, show.position);
  return { items: rows.map(show.view), next_cursor: next, ...(total <= MOST_COUNTED && { total }) };
}

interface AskedPage extends ListName {
  limit: number;
  cursor: string | undefined;
  /** The error for a cursor of another list, if the contract's 422 does not fit. */
  refusal?: string;
}

/** A page before it has the form of the contract, for protocols that have a form of their own. */
export async function readPage<Row>(
  { list, position, limit, cursor, refusal }: AskedPage,
  find: Find<Row>,
  positionOf: (row: Row) => readonly string[],
): Promise<{ rows: Row[]; next: string | null; total: number }> {
  const scope = JSON.stringify(list);
  const after = cursor === undefined ? [] : decodeCursor(scope, cursor, position);
  if (!after) {
    const detail = [{ loc: ['query', 'cursor'], msg: 'must be a cursor of this list', type: 'cursor' }];
    throw new MarketError('validation_failed', { message: refusal, detail });
  }
  // One row more than the page holds shows that another page follows.
  const { rows, total, reached } = await find(after, limit + 1);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next = last === undefined ? reached : positionOf(last);
  return { rows: shown, next: next === undefined ? null : encodeCursor(scope, next), total };
}

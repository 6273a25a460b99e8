import { MarketError } from '../../domain/errors';
import { decodeCursor, encodeCursor } from '../../kit/ids/cursor';

const DEFAULT_LIMIT = 20;

/** What a page is made of: up to one row more than asked for, so that its presence tells of a next page. */
interface Found<Row, View> {
  rows: readonly Row[];
  total: number;
  idOf: (row: Row) => string;
  view: (row: Row) => View;
}

/**
 * A page `{items, next_cursor, total}` of a list that continues below an id. `scope` names list and filter, so that a
 * cursor of another list is 422, as is one that holds no id of the form `pattern`.
 */
export async function listPage<Row, View>(
  scope: string,
  query: { limit?: number; cursor?: string },
  pattern: RegExp,
  find: (beforeId: string | undefined, limit: number) => Promise<Found<Row, View>>,
): Promise<{ items: View[]; next_cursor: string | null; total: number }> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const { rows, total, idOf, view } = await find(positionOf(scope, query.cursor, pattern), limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next_cursor = rows.length > limit && last !== undefined ? encodeCursor(scope, [idOf(last)]) : null;
  return { items: shown.map(view), next_cursor, total };
}

/** Where a list goes on: the id in its cursor. Throws 422 for a cursor of another list, or without an id of that form. */
export function positionOf(scope: string, cursor: string | undefined, pattern: RegExp): string | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(scope, cursor, [pattern]);
  if (position) return position[0];
  const detail = [{ loc: ['query', 'cursor'], msg: 'is not a cursor of this list', type: 'cursor' }];
  throw new MarketError('validation_failed', { detail });
}

import { MOST_COUNTED } from '../domain/list-total';
import { onlyRow, type Db } from './db';

export interface CountedList {
  from: string;
  /** The condition that an index serves, in the order of `order`. */
  key: string;
  /** Further conditions. */
  filter?: string;
  /** Left out where an order would make Postgres sort instead of following the index. */
  order?: string;
}

/**
 * Counts the rows of a list by reading at most `MOST_COUNTED` + 1 of its key. Returns more than `MOST_COUNTED` if the
 * key has more rows: the number that match is then not known.
 */
export async function countRows(
  db: Db,
  { from, key, filter = 'true', order }: CountedList,
  values: unknown[],
): Promise<number> {
  const result = await db.query<{ read: string; total: string }>(
    `SELECT count(*) AS read, count(*) FILTER (WHERE matches) AS total
       FROM (SELECT ${filter} AS matches FROM ${from} WHERE ${key} ${order === undefined ? '' : `ORDER BY ${order}`} LIMIT ${MOST_COUNTED + 1}) c`,
    values,
  );
  const { read, total } = onlyRow(result);
  return Number(read) > MOST_COUNTED ? MOST_COUNTED + 1 : Number(total);
}

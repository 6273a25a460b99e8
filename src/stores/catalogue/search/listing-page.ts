/** One page of the agents that a search has found, with their number. */
import { type ListingRow, type RawListing, RECORD, toListing } from '../listings';
import type { Param } from './listing-order';

/** A row of a page; a page without agents is one row with the total alone. */
export type PageRow = Partial<RawListing> & { total: string };

/**
 * The end of a statement with the list `found` (agent_id, sort_key): the page behind a position, highest key first.
 * `more` are further columns of `found`.
 */
export function pageOf(
  { limit, after, more = '' }: { limit: number; after?: readonly string[] | undefined; more?: string },
  param: Param,
): string {
  const behind = after
    ? `WHERE (sort_key, agent_id) < (${param(after[0])}::bigint, ${param(after[1])}::text)`
    : '';
  return `page AS (
       SELECT ${RECORD}, found.sort_key ${more}
         FROM (SELECT * FROM found ${behind} ORDER BY sort_key DESC, agent_id DESC LIMIT (SELECT ${param(limit)}::bigint)) found
         JOIN agents a USING (agent_id) JOIN agent_versions v ON v.version_id = a.serving_version_id
         JOIN users u ON u.user_id = a.developer_user_id LEFT JOIN agent_stats s ON s.agent_id = a.agent_id
     )
     SELECT matches.total, page.* FROM (SELECT count(*) AS total FROM found) matches LEFT JOIN page ON true
      ORDER BY page.sort_key DESC, page.agent_id DESC`;
}

/** The listings of a page and the total. `more` reads further columns. */
export function toPage<Row extends PageRow>(
  rows: readonly Row[],
  more: (row: Row) => Partial<ListingRow> = () => ({}),
): { rows: ListingRow[]; total: number } {
  const listings = rows.filter((row): row is Row & RawListing => typeof row.agent_id === 'string');
  return {
    rows: listings.map((row) => ({ ...toListing(row), ...more(row) })),
    total: Number(rows[0]?.total ?? 0),
  };
}

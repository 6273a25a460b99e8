/** Agents that search lists, by id, for readers that want them all: registries, catalogues, crawlers. */
import type { Db } from '../db';
import { type ListingRow, type RawListing, RECORD, toListing, UPDATED_AT } from './listings';

export interface ListedAgent extends ListingRow {
  /** When the serving version went live. */
  liveAt: Date;
}

export interface ListedFilter {
  /** Only agents behind this id; empty for all. */
  after: string;
  limit: number;
  /** Text that `prefix` and the id contain, in any case. */
  search?: { prefix: string; text: string } | undefined;
  updatedSince?: Date | undefined;
  /** The number of the serving version. */
  version?: string | undefined;
}

const LISTED = `a.listed AND a.status = 'active'`;
const FROM = `SELECT ${RECORD}, v.live_at, '0' AS sort_key
  FROM agents a JOIN agent_versions v ON v.version_id = a.serving_version_id
  JOIN users u ON u.user_id = a.developer_user_id LEFT JOIN agent_stats s ON s.agent_id = a.agent_id
 WHERE ${LISTED}`;

type Raw = RawListing & { live_at: Date | null };

/** A page by id. What it reads grows with the number of agents at most, never with that of calls. */
export async function listListedAgents(db: Db, filter: ListedFilter): Promise<ListedAgent[]> {
  const { after, limit, search, updatedSince, version } = filter;
  const values: unknown[] = [after, limit];
  const param = (value: unknown) => `$${values.push(value)}`;
  const conditions = [
    ...(search
      ? [`strpos(lower(${param(search.prefix)} || a.agent_id), lower(${param(search.text)})) > 0`]
      : []),
    ...(updatedSince ? [`${UPDATED_AT} >= ${param(updatedSince)}`] : []),
    ...(version === undefined ? [] : [`v.version = ${param(version)}`]),
  ];
  const { rows } = await db.query<Raw>(
    `${FROM} AND a.agent_id > $1 ${conditions.map((condition) => `AND ${condition}`).join(' ')}
      ORDER BY a.agent_id LIMIT $2`,
    values,
  );
  return rows.map(toListed);
}

export async function readListedAgent(db: Db, agentId: string): Promise<ListedAgent | undefined> {
  const { rows } = await db.query<Raw>(`${FROM} AND a.agent_id = $1`, [agentId]);
  return rows[0] && toListed(rows[0]);
}

/** The ids of a page, with when each agent changed, without what it offers. */
export async function listListedIds(
  db: Db,
  { after, limit }: Pick<ListedFilter, 'after' | 'limit'>,
): Promise<{ agentId: string; updatedAt: Date }[]> {
  const { rows } = await db.query<{ agent_id: string; updated_at: Date }>(
    `SELECT a.agent_id, a.updated_at FROM agents a WHERE ${LISTED} AND a.agent_id > $1 ORDER BY a.agent_id LIMIT $2`,
    [after, limit],
  );
  return rows.map((row) => ({ agentId: row.agent_id, updatedAt: row.updated_at }));
}

/**
 * The last id of each page of `size` agents that another page follows, in order. It reads the ids of all listed agents,
 * so its results are kept for a while.
 */
export async function listPageEnds(db: Db, size: number): Promise<string[]> {
  const { rows } = await db.query<{ agent_id: string }>(
    `SELECT agent_id
       FROM (SELECT a.agent_id, row_number() OVER by_id AS at, lead(a.agent_id) OVER by_id AS next
               FROM agents a WHERE ${LISTED} WINDOW by_id AS (ORDER BY a.agent_id)) pages
      WHERE at % $1 = 0 AND next IS NOT NULL ORDER BY agent_id`,
    [size],
  );
  return rows.map((row) => row.agent_id);
}

const toListed = (row: Raw): ListedAgent => ({ ...toListing(row), liveAt: row.live_at ?? row.created_at });

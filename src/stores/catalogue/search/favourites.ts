/** Agents that accounts have marked, to find them again. An account has few, so all of its rows are read. */
import type { Db } from '../../db';
import { countRows } from '../../list-total';
import { type ListingRow, type RawListing, RECORD, toListing } from '../listings';
import { shownTo } from '../../shown-to';

export interface FavouriteRow {
  agentId: string;
  addedAt: Date;
  /** The same in microseconds since 1970, for the cursor. */
  addedMicros: string;
  /** Null while the account cannot call the agent. */
  listing: ListingRow | null;
}

type Raw = Omit<RawListing, 'version'> & {
  marked_id: string;
  added_at: Date;
  added_micros: string;
  version: string | null;
};

/** Lists the favourites of an account, newest first, behind a position of `addedMicros` and `agentId`. */
export async function listFavourites(
  db: Db,
  { userId, after, limit }: { userId: string; after: readonly string[]; limit: number },
): Promise<{ rows: FavouriteRow[]; total: number }> {
  const [micros = null, agentId = null] = after;
  const { rows } = await db.query<Raw>(
    `SELECT f.agent_id AS marked_id, f.added_at, f.added_micros, ${RECORD}, '0' AS sort_key
       FROM (SELECT agent_id, added_at, (extract(epoch FROM added_at) * 1000000)::bigint AS added_micros
               FROM favourites WHERE user_id = $1) f
       JOIN agents a ON a.agent_id = f.agent_id
       LEFT JOIN agent_versions v ON v.version_id = a.serving_version_id AND a.status = 'active'
            AND ${shownTo('$1')}
       LEFT JOIN agent_stats s ON s.agent_id = a.agent_id
       JOIN users u ON u.user_id = a.developer_user_id
      WHERE $2::bigint IS NULL OR (f.added_micros, f.agent_id) < ($2::bigint, $3::text)
      ORDER BY f.added_micros DESC, f.agent_id DESC LIMIT $4`,
    [userId, micros, agentId, limit],
  );
  const list = { from: 'favourites', key: 'user_id = $1' };
  return { rows: rows.map(toFavourite), total: await countRows(db, list, [userId]) };
}

/** Adds a favourite, unless it is one. */
export async function insertFavourite(db: Db, userId: string, agentId: string): Promise<void> {
  await db.query('INSERT INTO favourites (user_id, agent_id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    userId,
    agentId,
  ]);
}

export async function deleteFavourite(db: Db, userId: string, agentId: string): Promise<void> {
  await db.query('DELETE FROM favourites WHERE user_id = $1 AND agent_id = $2', [userId, agentId]);
}

/**
 * Counts an account's favourites but this agent, and locks the account, so that additions at the same time wait for
 * this transaction.
 */
export async function countOtherFavouritesForUpdate(
  tx: Db,
  userId: string,
  agentId: string,
): Promise<number> {
  await tx.query('SELECT FROM users WHERE user_id = $1 FOR NO KEY UPDATE', [userId]);
  const { rows } = await tx.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM favourites WHERE user_id = $1 AND agent_id <> $2',
    [userId, agentId],
  );
  return rows[0]?.n ?? 0;
}

function toFavourite(row: Raw): FavouriteRow {
  const { marked_id, added_at, added_micros, version } = row;
  const listing = version === null ? null : toListing({ ...row, version });
  return { agentId: marked_id, addedAt: added_at, addedMicros: added_micros, listing };
}

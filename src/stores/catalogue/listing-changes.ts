import type { Db } from '../db';

export interface ListingChange {
  changeId: number;
  agentId: string;
  slug: string;
  badge: string | null;
  trustScore: number | null;
  listed: boolean;
  at: Date;
}

/**
 * Lists changes after `changeId`, oldest first. Ids are assigned before commit, so a lower id may appear later. Of an
 * agent that is not public any more, only the changes that took it out of the lists remain, without badge and score, so
 * that followers who come back learn that it is gone.
 */
export async function listChangesAfter(db: Db, changeId: number, limit: number): Promise<ListingChange[]> {
  const { rows } = await db.query<{
    change_id: string;
    agent_id: string;
    slug: string;
    badge: string | null;
    trust_score: number | null;
    listed: boolean;
    at: Date;
  }>({
    name: 'listing-changes',
    text: `SELECT c.change_id, c.agent_id, a.slug, CASE WHEN a.visibility = 'public' THEN c.badge END AS badge,
                  CASE WHEN a.visibility = 'public' THEN c.trust_score END AS trust_score, c.listed, c.at
             FROM listing_changes c JOIN agents a USING (agent_id) WHERE c.change_id > $1
              AND (a.visibility = 'public' OR c.was_listed AND NOT c.listed)
            ORDER BY c.change_id LIMIT $2`,
    values: [changeId, limit],
  });
  return rows.map((row) => ({
    changeId: Number(row.change_id),
    agentId: row.agent_id,
    slug: row.slug,
    badge: row.badge,
    trustScore: row.trust_score,
    listed: row.listed,
    at: row.at,
  }));
}

/** A change as it stands in the order of changes. */
export interface ListingMove {
  changeId: number;
  agentId: string;
  listed: boolean;
}

/** Lists changes after `changeId` like `listChangesAfter`, without what the agents are. */
export async function listMovesAfter(db: Db, changeId: number, limit: number): Promise<ListingMove[]> {
  const { rows } = await db.query<{ change_id: string; agent_id: string; listed: boolean }>({
    name: 'listing-moves',
    text: `SELECT change_id, agent_id, listed FROM listing_changes WHERE change_id > $1 ORDER BY change_id LIMIT $2`,
    values: [changeId, limit],
  });
  return rows.map((row) => ({
    changeId: Number(row.change_id),
    agentId: row.agent_id,
    listed: row.listed,
  }));
}

export async function readLastChangeId(db: Db): Promise<number> {
  const { rows } = await db.query<{ last: string | null }>(
    'SELECT max(change_id) AS last FROM listing_changes',
  );
  return Number(rows[0]?.last ?? 0);
}

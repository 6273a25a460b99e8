import type { Db } from '../db';

/** Later than the longest run, so that a run whose workflow was ended by hand does not count as running. */
const LONGEST_RUN_HOURS = 6;

/** True while a verification run of the agent goes on. */
export async function isVerifying(db: Db, agentId: string): Promise<boolean> {
  const { rows } = await db.query(
    `SELECT FROM verification_runs WHERE agent_id = $1 AND state = 'running'
        AND started_at > now() - $2 * interval '1 hour' LIMIT 1`,
    [agentId, LONGEST_RUN_HOURS],
  );
  return rows.length > 0;
}

/**
 * Notes that the owner asks for a verification, unless the last time was less than `pauseMs` ago. Returns the ms until
 * the next one is possible; 0 if this one was noted.
 */
export async function noteReverification(tx: Db, agentId: string, pauseMs: number): Promise<number> {
  const { rows } = await tx.query<{ left_ms: number }>(
    `WITH noted AS (
       INSERT INTO agent_reverifications (agent_id, asked_at) VALUES ($1, now())
       ON CONFLICT (agent_id) DO UPDATE SET asked_at = now()
        WHERE agent_reverifications.asked_at <= now() - $2 * interval '1 ms' RETURNING 1)
     SELECT ceil(1000 * extract(epoch FROM asked_at - now()) + $2)::float8 AS left_ms FROM agent_reverifications
      WHERE agent_id = $1 AND NOT EXISTS (SELECT FROM noted)`,
    [agentId, pauseMs],
  );
  return Math.max(0, rows[0]?.left_ms ?? 0);
}

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

export async function markTriggered(db: Db, versionId: string): Promise<void> {
  await db.query('UPDATE agent_versions SET triggered_at = now() WHERE version_id = $1', [versionId]);
}

/**
 * Lists versions that still wait although no run was requested for them, or although the requested run is overdue, for
 * example because Temporal was down. The sweep requests one.
 */
export async function listWaiting(
  db: Db,
  patience: { submittedMs: number; verifyingMs: number; limit: number },
): Promise<{ agentId: string; versionId: string }[]> {
  const result = await db.query<{ agent_id: string; version_id: string }>(
    `SELECT agent_id, version_id FROM agent_versions
      WHERE (state = 'submitted' AND submitted_at < now() - $1 * interval '1 ms'
             AND (triggered_at IS NULL OR triggered_at < now() - $2 * interval '1 ms'))
         OR (state = 'verifying' AND coalesce(triggered_at, submitted_at) < now() - $2 * interval '1 ms')
      ORDER BY submitted_at LIMIT $3`,
    [patience.submittedMs, patience.verifyingMs, patience.limit],
  );
  return result.rows.map((row) => ({ agentId: row.agent_id, versionId: row.version_id }));
}

/** Counters of buyers' calls by agent (`migrations/0014_verification.js`), as verification reads them. */
import type { CallTally } from '../../domain/verification/behaviour';
import type { BuyersFact, ProbeCode } from '../../domain/verification/probe-facts';
import type { Db } from '../db';

export interface TallyRow extends CallTally {
  agentId: string;
  /** The version that serves the agent. */
  versionId: string;
  code: string | null;
}

interface RawTally extends CallTally {
  agent_id: string;
  version_id: string;
  code: string | null;
}

/** Takes agents whose counters changed since the last look. Agents that do not serve are skipped. */
export async function takeDueTallies(tx: Db, limit: number): Promise<TallyRow[]> {
  const { rows } = await tx.query<RawTally>(
    `WITH due AS (SELECT agent_id FROM agent_call_tallies WHERE is_due ORDER BY agent_id LIMIT $1
                     FOR UPDATE SKIP LOCKED),
          taken AS (UPDATE agent_call_tallies t SET is_due = false FROM due WHERE t.agent_id = due.agent_id
                    RETURNING t.agent_id, t.succeeded, t.refused, t.failed, t.code)
     SELECT taken.*, a.serving_version_id AS version_id FROM taken JOIN agents a USING (agent_id)
      WHERE a.serving_version_id IS NOT NULL AND a.status = 'active' ORDER BY agent_id`,
    [limit],
  );
  return rows.map(({ agent_id, version_id, ...tally }) => ({
    ...tally,
    agentId: agent_id,
    versionId: version_id,
  }));
}

/** Sets the counters to 0. `bad`: the period that ends now is the last bad one. */
export async function resetTally(tx: Db, agentId: string, bad: BuyersFact | null): Promise<void> {
  await tx.query(
    `UPDATE agent_call_tallies SET succeeded = 0, refused = 0, failed = 0,
            bad_calls = coalesce($2, bad_calls), bad_failed = coalesce($3, bad_failed),
            bad_code = coalesce($4, bad_code) WHERE agent_id = $1`,
    [agentId, bad?.calls ?? null, bad?.failed ?? null, bad?.code ?? null],
  );
}

export async function halveTally(tx: Db, agentId: string): Promise<void> {
  await tx.query(
    `UPDATE agent_call_tallies SET succeeded = succeeded / 2, refused = refused / 2, failed = failed / 2
      WHERE agent_id = $1`,
    [agentId],
  );
}

/** The last period in which too many calls failed; null if there was none. */
export async function readBadPeriod(db: Db, agentId: string): Promise<BuyersFact | null> {
  const { rows } = await db.query<{ bad_calls: number; bad_failed: number; bad_code: string }>(
    `SELECT bad_calls, bad_failed, bad_code FROM agent_call_tallies
      WHERE agent_id = $1 AND bad_calls IS NOT NULL`,
    [agentId],
  );
  const [row] = rows;
  return row ? { calls: row.bad_calls, failed: row.bad_failed, code: row.bad_code as ProbeCode } : null;
}

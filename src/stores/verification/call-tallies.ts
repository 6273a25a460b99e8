/** Paid calls of buyers by agent (`migrations/0016_usage.sql`), as verification reads them. */
import type { CallTally, OutcomeTally } from '../../domain/verification/behaviour';
import type { BuyersFact, ProbeCode } from '../../domain/verification/probe-facts';
import type { Db } from '../db';

export interface TallyRow extends CallTally {
  agentId: string;
  /** The version that serves the agent. */
  versionId: string;
  /** The error code of most buyers whose calls failed. */
  code: string | null;
}

const OUTCOMES = ['succeeded', 'refused', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

type RawTally = {
  agent_id: string;
  version_id: string;
  code: string | null;
  buyer_days: number;
} & Record<Outcome, OutcomeTally>;

/** The open calls with an outcome, as an `OutcomeTally`. */
const tallyOf = (outcome: Outcome) => `jsonb_build_object(
  'calls', coalesce(sum(b.${outcome}) FILTER (WHERE b.open_${outcome}), 0),
  'days', coalesce(sum(round(b.${outcome} / b.total, 6)) FILTER (WHERE b.open_${outcome}), 0),
  'buyers', count(DISTINCT b.buyer_user_id) FILTER (WHERE b.open_${outcome} AND b.${outcome} * 4 >= b.total)) AS ${outcome}`;

const IS_OPEN = OUTCOMES.map((outcome) => `open_${outcome}`).join(' OR ');

/** Takes agents whose calls were counted since the last look. Agents that do not serve are skipped. */
export async function claimDueTallies(tx: Db, limit: number): Promise<TallyRow[]> {
  const { rows } = await tx.query<RawTally>(
    `WITH due AS (SELECT agent_id FROM agent_call_tallies WHERE is_due ORDER BY agent_id LIMIT $1
                     FOR UPDATE SKIP LOCKED),
          taken AS (UPDATE agent_call_tallies t SET is_due = false FROM due WHERE t.agent_id = due.agent_id
                    RETURNING t.agent_id)
     SELECT a.agent_id, a.serving_version_id AS version_id, count(*)::integer AS buyer_days,
            mode() WITHIN GROUP (ORDER BY b.code) FILTER (WHERE b.open_failed) AS code,
            ${OUTCOMES.map(tallyOf).join(', ')}
       FROM taken JOIN agents a USING (agent_id)
       JOIN LATERAL (SELECT o.*, (o.succeeded + o.refused + o.failed)::numeric AS total FROM buyer_days o
                      WHERE o.agent_id = a.agent_id AND (${IS_OPEN})) b ON true
      WHERE a.serving_version_id IS NOT NULL AND a.status = 'active'
      GROUP BY a.agent_id ORDER BY a.agent_id`,
    [limit],
  );
  return rows.map(({ agent_id, version_id, buyer_days, ...tally }) => ({
    ...tally,
    agentId: agent_id,
    versionId: version_id,
    buyerDays: buyer_days,
  }));
}

/**
 * Ends the period: outcomes that buyers had in a day do not count again for this day. `bad`: the period that ends now
 * is the last bad one.
 */
export async function closePeriod(tx: Db, agentId: string, bad: BuyersFact | null): Promise<void> {
  await tx.query(
    `UPDATE buyer_days SET open_succeeded = false, open_refused = false, open_failed = false
      WHERE (agent_id, day, buyer_user_id) IN (
        SELECT agent_id, day, buyer_user_id FROM buyer_days WHERE agent_id = $1 AND (${IS_OPEN})
         ORDER BY day, buyer_user_id FOR UPDATE)`,
    [agentId],
  );
  if (!bad) return;
  await tx.query(
    `UPDATE agent_call_tallies SET bad_calls = $2, bad_failed = $3, bad_code = $4 WHERE agent_id = $1`,
    [agentId, bad.calls, bad.failed, bad.code],
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

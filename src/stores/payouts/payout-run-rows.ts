/** The runs of Mondays (`payout_runs`): who carries one out, and whether it has done all its steps. */
import { onlyRow, type Db } from '../db';

/** The run of a Monday. */
export interface RunKey {
  asOf: Date;
  attempt: number;
}

export type RetryOutcome = 'begun' | 'wrong_state' | 'running' | 'repeated';

/** Records that the workflow carries out the run. `developerUserId`: the only developer of a retry. */
export async function beginRun(
  db: Db,
  run: RunKey & { developerUserId: string | null; workflowId: string },
): Promise<void> {
  const values = [run.asOf, run.attempt, run.developerUserId, run.workflowId];
  await db.query('SELECT payout_run_begin($1, $2, $3, $4)', values);
}

/** Records that the run has done all its steps. */
export async function endRun(db: Db, run: RunKey): Promise<void> {
  await db.query('SELECT payout_run_end($1, $2)', [run.asOf, run.attempt]);
}

/**
 * Opens the run that repeats a payout. Returns its attempt; unless the outcome is `begun`, the attempt of the run or
 * payout that is in the way.
 */
export async function beginRetry(
  db: Db,
  payoutId: string,
): Promise<{ outcome: RetryOutcome; attempt: number | null }> {
  const result = await db.query<{ outcome: RetryOutcome; attempt_no: number | null }>(
    'SELECT * FROM payout_retry_begin($1)',
    [payoutId],
  );
  const { outcome, attempt_no: attempt } = onlyRow(result);
  return { outcome, attempt };
}

/** A run that has more to do, if its workflow does not run. */
export interface OpenRun extends RunKey {
  /** The only developer of a retry; null: all developers. */
  developerUserId: string | null;
  /** Null before the run has begun. */
  workflowId: string | null;
}

/**
 * Lists up to `limit` runs older than `before` that did not do all their steps, or that left payouts without a file:
 * a share that was late, or a workflow that was lost.
 */
export async function listOpenRuns(
  db: Db,
  { before, limit }: { before: Date; limit: number },
): Promise<OpenRun[]> {
  const { rows } = await db.query<{
    as_of: Date;
    attempt: number;
    developer_user_id: string | null;
    workflow_id: string | null;
  }>(
    `SELECT r.as_of, r.attempt, r.developer_user_id, r.workflow_id FROM payout_runs r
     WHERE r.begun_at < $1 AND r.ended_at IS NULL
     UNION
     SELECT r.as_of, r.attempt, r.developer_user_id, r.workflow_id FROM payouts p JOIN payout_runs r USING (as_of, attempt)
     WHERE p.status IN ('reserving', 'pending') AND coalesce(p.method, '') <> 'usdc' AND p.initiated_at < $1
       AND r.ended_at < $1
     ORDER BY as_of, attempt LIMIT $2`,
    [before, limit],
  );
  return rows.map((row) => ({
    asOf: row.as_of,
    attempt: row.attempt,
    developerUserId: row.developer_user_id,
    workflowId: row.workflow_id,
  }));
}

/**
 * Lists the Mondays of the last eight weeks, oldest first, that no run of all developers was begun for within
 * `lateMs`, without those before the first account was made.
 */
export async function listMissedMondays(db: Db, lateMs: number): Promise<Date[]> {
  const { rows } = await db.query<{ monday: Date }>(
    `SELECT m.monday FROM (SELECT created_at FROM users ORDER BY user_id LIMIT 1) u
     CROSS JOIN LATERAL (SELECT date_trunc('week', now() - $1 * interval '1 millisecond', 'UTC') AS last) l
     CROSS JOIN LATERAL generate_series(l.last - interval '49 days', l.last, interval '7 days') m(monday)
     WHERE m.monday > u.created_at
       AND NOT EXISTS (SELECT FROM payout_runs r WHERE r.as_of = m.monday AND r.attempt = 0)
     ORDER BY m.monday`,
    [lateMs],
  );
  return rows.map(({ monday }) => monday);
}

/** Lists up to `limit` runs that have ended and whose USDC payouts have not. */
export async function listOpenTransferRuns(db: Db, limit: number): Promise<RunKey[]> {
  const { rows } = await db.query<{ as_of: Date; attempt: number }>(
    `SELECT DISTINCT r.as_of, r.attempt FROM payouts p JOIN payout_runs r USING (as_of, attempt)
     WHERE p.status IN ('pending', 'processing') AND p.method = 'usdc' AND r.ended_at IS NOT NULL
     ORDER BY r.as_of, r.attempt LIMIT $1`,
    [limit],
  );
  return rows.map((row) => ({ asOf: row.as_of, attempt: row.attempt }));
}

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

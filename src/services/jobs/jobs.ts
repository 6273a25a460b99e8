/** Which jobs must be woken (ADR 0304). */
import type { DbPool } from '../../stores/db';
import { claimDueJobs, type DueJob } from '../../stores/jobs/jobs';

export type { DueJob };

/** Jobs of one statement, which are woken within some seconds (`src/engine/jobs.ts`). */
const BATCH = 50;

export function createJobs({ pool }: { pool: DbPool }) {
  return {
    /** The jobs whose workflows must be woken, at most fifty. Each is due again after a minute. */
    claimDue: (): Promise<DueJob[]> => claimDueJobs(pool, BATCH),
  };
}

export type Jobs = ReturnType<typeof createJobs>;

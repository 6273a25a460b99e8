import type { Logger } from '../../logger';
import { type DbPool, withTransaction } from '../../stores/db';
import { sweepInvocations } from '../../stores/calls/invocations';

const BATCH = 200;
/** pg_try_advisory_xact_lock key of the sweep: one process sweeps at a time. */
const LOCK_KEY = 7_203_001;

export interface LeaseSweepDeps {
  pool: DbPool;
  pendingLeaseMs: number;
  logger: Logger;
}

/**
 * Resolves calls that nobody drives any more: voids holds past their lease and fails pending rows that never got a
 * hold. It is a loop of every worker process and not a workflow, because it must work when the engine does not
 * (engine.md §2). Returns how many calls it resolved.
 */
export function createLeaseSweep(deps: LeaseSweepDeps) {
  return async function sweep(): Promise<number> {
    let total = 0;
    for (;;) {
      const ids = await withTransaction(deps.pool, async (tx) => {
        const lock = await tx.query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS locked', [
          LOCK_KEY,
        ]);
        return lock.rows[0]?.locked ? sweepInvocations(tx, deps.pendingLeaseMs, BATCH) : [];
      });
      if (ids.length > 0)
        deps.logger.warn({ invocationIds: ids }, 'lease sweep refunded calls that nobody drove');
      total += ids.length;
      if (ids.length < BATCH) return total;
    }
  };
}

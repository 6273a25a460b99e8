import { createHalvingBatches } from '../../kit/concurrency/halving-batches';
import type { Logger } from '../../logger';
import { type DbPool, withTransaction } from '../../stores/db';
import { listAbandoned, sweepInvocations } from '../../stores/calls/call-owners';

const BATCH = 200;
/** Key of pg_try_advisory_xact_lock: only one process sweeps at a time. */
const LOCK_KEY = 7_203_001;

export interface LeaseSweepDeps {
  pool: DbPool;
  pendingLeaseMs: number;
  logger: Logger;
}

/**
 * Resolves abandoned calls: voids holds with an expired lease, and fails pending calls that never got a hold. It is a
 * loop of every worker process rather than a workflow, because it must work without the engine
 * (docs/life-of-a-call.md). Returns how many calls it resolved. A call that cannot be resolved does not hold up the
 * others.
 */
export function createLeaseSweep({ pool, pendingLeaseMs, logger }: LeaseSweepDeps) {
  const batches = createHalvingBatches({ most: BATCH });

  async function process(batch: readonly string[]): Promise<number> {
    const ids = await withTransaction(pool, async (tx) => {
      const lock = await tx.query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS locked', [
        LOCK_KEY,
      ]);
      return lock.rows[0]?.locked ? sweepInvocations(tx, pendingLeaseMs, batch) : [];
    });
    if (ids.length > 0) logger.warn({ invocationIds: ids }, 'lease sweep refunded abandoned calls');
    return ids.length;
  }

  return (): Promise<number> =>
    batches.turn({ find: (limit, aside) => listAbandoned(pool, pendingLeaseMs, limit, aside), process });
}

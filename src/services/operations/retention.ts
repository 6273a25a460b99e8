import type { DbPool } from '../../stores/db';
import { type Purged, purgeExpired } from '../../stores/operations/retention';

const BATCH = 1_000;

/**
 * Deletes what may be kept no longer: expired answers, which nobody can read since they expired, and marks of waiting
 * processes that died. Small transactions, so that it never stands in a call's way; sessions and counters of requests
 * are pruned by those who keep them.
 */
export function createRetention(deps: { pool: DbPool }) {
  return {
    /** Deletes until nothing is left or the signal aborts; tells after each batch what it has deleted so far. */
    async purge(signal: AbortSignal, progress: (purged: Purged) => void): Promise<Purged> {
      const total: Purged = { answers: 0, waiters: 0 };
      for (;;) {
        signal.throwIfAborted();
        const { answers, waiters } = await purgeExpired(deps.pool, BATCH);
        total.answers += answers;
        total.waiters += waiters;
        progress(total);
        if (answers < BATCH && waiters < BATCH) return total;
      }
    },
  };
}

export type Retention = ReturnType<typeof createRetention>;

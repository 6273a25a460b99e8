import type { DbPool } from '../../stores/db';
import { type Purged, purgeExpired } from '../../stores/operations/retention';

const BATCH = 1_000;

/**
 * Deletes expired data: answers, which cannot be read since they expired, registrations of waiting processes that died,
 * and counters of free calls of past months. Transactions are small, so that they do not block calls. Sessions and rate limits are pruned by their own
 * stores.
 */
export function createRetention(deps: { pool: DbPool }) {
  return {
    /** Deletes until nothing is left or the signal aborts. Calls `progress` with the totals after each batch. */
    async purge(signal: AbortSignal, progress: (purged: Purged) => void): Promise<Purged> {
      const total: Purged = { answers: 0, waiters: 0, counters: 0 };
      for (;;) {
        signal.throwIfAborted();
        const { answers, waiters, counters } = await purgeExpired(deps.pool, BATCH);
        total.answers += answers;
        total.waiters += waiters;
        total.counters += counters;
        progress(total);
        if (Math.max(answers, waiters, counters) < BATCH) return total;
      }
    },
  };
}

export type Retention = ReturnType<typeof createRetention>;

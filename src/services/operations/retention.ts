import type { DbPool } from '../../stores/db';
import { purgeAttachments } from '../../stores/disputes/dispute-attachments';
import { type Purged, purgeExpired } from '../../stores/operations/retention';

const BATCH = 1_000;

/** What a purge deleted. `attachments`: those of disputes decided 90 days ago. */
export interface PurgedTotals extends Purged {
  attachments: number;
}

/**
 * Deletes expired data: answers, which cannot be read since they expired, registrations of waiting processes that died,
 * counters of free calls of past months, and attachments of disputes that were decided long ago. Transactions are small, so that they do not block calls. Sessions and rate limits are pruned by their own
 * stores.
 */
export function createRetention(deps: { pool: DbPool }) {
  return {
    /** Deletes until nothing is left or the signal aborts. Calls `progress` with the totals after each batch. */
    async purge(signal: AbortSignal, progress: (purged: PurgedTotals) => void): Promise<PurgedTotals> {
      const total: PurgedTotals = { answers: 0, waiters: 0, counters: 0, attachments: 0 };
      for (;;) {
        signal.throwIfAborted();
        const { answers, waiters, counters } = await purgeExpired(deps.pool, BATCH);
        total.answers += answers;
        total.waiters += waiters;
        total.counters += counters;
        const attachments = await purgeAttachments(deps.pool, BATCH);
        total.attachments += attachments;
        progress(total);
        if (Math.max(answers, waiters, counters, attachments) < BATCH) return total;
      }
    },
  };
}

export type Retention = ReturnType<typeof createRetention>;

import type { DbPool } from '../../stores/db';
import { purgeKeptBodies } from '../../stores/calls/kept-bodies';
import { purgeAttachments } from '../../stores/disputes/dispute-attachments';
import { type Purged, purgeExpired, purgeUnconfirmed } from '../../stores/operations/retention';

const BATCH = 1_000;
const ACCOUNT_BATCH = 100;
/** Batches of accounts in one purge; the next one goes on from there. */
const ACCOUNT_BATCHES = 50;

/**
 * What a purge deleted. `attachments`: those of disputes decided 90 days ago. `bodies`: calls whose kept bodies have
 * expired or were erased. `accounts`: those whose address was not confirmed within a day.
 */
export interface PurgedTotals extends Purged {
  attachments: number;
  bodies: number;
  accounts: number;
}

export interface RetentionDeps {
  pool: DbPool;
}

/**
 * Deletes expired data: answers and kept bodies, which cannot be read since they expired, registrations of waiting
 * processes that died, counters of free calls of past months, attachments of disputes that were decided long ago, and
 * accounts whose address was never confirmed. Transactions are small, so that they do not block calls. Sessions and
 * rate limits are pruned by their own stores.
 */
export function createRetention(deps: RetentionDeps) {
  let after = '';

  /** Deletes accounts that did not confirm their address and have nothing, from where the last purge ended. */
  async function endUnconfirmed(signal: AbortSignal): Promise<number> {
    let ended = 0;
    for (let batch = 0; batch < ACCOUNT_BATCHES; batch += 1) {
      signal.throwIfAborted();
      const { deleted, last } = await purgeUnconfirmed(deps.pool, after, ACCOUNT_BATCH);
      ended += deleted;
      after = last ?? '';
      if (last === null) break;
    }
    return ended;
  }

  return {
    /** Deletes until nothing is left or the signal aborts. Calls `progress` with the totals after each batch. */
    async purge(signal: AbortSignal, progress: (purged: PurgedTotals) => void): Promise<PurgedTotals> {
      const total: PurgedTotals = {
        answers: 0,
        waiters: 0,
        counters: 0,
        attachments: 0,
        bodies: 0,
        accounts: 0,
      };
      total.accounts = await endUnconfirmed(signal);
      for (;;) {
        signal.throwIfAborted();
        const { answers, waiters, counters } = await purgeExpired(deps.pool, BATCH);
        total.answers += answers;
        total.waiters += waiters;
        total.counters += counters;
        const attachments = await purgeAttachments(deps.pool, BATCH);
        total.attachments += attachments;
        const bodies = await purgeKeptBodies(deps.pool, BATCH);
        total.bodies += bodies;
        progress(total);
        if (Math.max(answers, waiters, counters, attachments, bodies) < BATCH) return total;
      }
    },
  };
}

export type Retention = ReturnType<typeof createRetention>;

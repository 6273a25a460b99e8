/**
 * Follows changes of listings. Changes are stored in Postgres, in order. `LISTEN listing_change` signals new changes
 * quickly; polling every second covers lost signals.
 */
import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import {
  listChangesAfter,
  type ListingChange,
  readLastChangeId,
} from '../../stores/catalogue/listing-changes';
import { createListener } from '../../stores/listener';

export type { ListingChange };

const LOOK_EVERY_MS = 1_000;
const CHANNEL = 'listing_change';
const BATCH = 200;
/** Transactions may commit out of order, so this many ids before the last seen one are read again. */
const LOOK_BACK = 50;

export function createListingWatch(deps: { pool: DbPool; sessions?: DbPool; logger: Logger }) {
  const sleepers = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;

  function wakeAll(): void {
    for (const wake of [...sleepers]) wake();
  }

  const listener = createListener({
    pool: deps.sessions ?? deps.pool,
    channel: CHANNEL,
    onPayload: wakeAll,
    onFailure: (error) =>
      deps.logger.debug({ err: error }, 'could not listen for listings; polling every second instead'),
  });

  function sleep(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        sleepers.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      sleepers.add(wake);
      signal.addEventListener('abort', wake, { once: true });
      if (signal.aborted) wake();
    });
  }

  return {
    /** Yields changes after `after` (default: from now on), each once, until the signal aborts. */
    async *follow(after: number | undefined, signal: AbortSignal): AsyncGenerator<ListingChange> {
      timer ??= setInterval(() => {
        if (sleepers.size > 0) void listener.ensure();
        wakeAll();
      }, LOOK_EVERY_MS).unref();
      const start = after ?? (await readLastChangeId(deps.pool));
      let last = start;
      const seen = new Set<number>();
      void listener.ensure();
      while (!signal.aborted) {
        const woken = sleep(signal);
        const from = Math.max(start, last - LOOK_BACK);
        const changes = await listChangesAfter(deps.pool, from, BATCH);
        for (const change of changes.filter(({ changeId }) => !seen.has(changeId))) {
          seen.add(change.changeId);
          last = Math.max(last, change.changeId);
          yield change;
        }
        for (const id of seen) if (id <= last - LOOK_BACK) seen.delete(id);
        if (changes.length < BATCH) await woken;
      }
    },

    stop(): void {
      clearInterval(timer);
      listener.stop();
    },
  };
}

export type ListingWatch = ReturnType<typeof createListingWatch>;

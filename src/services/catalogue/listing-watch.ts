/**
 * Follows changes of listings. Changes are stored in Postgres, in order. One reader in each process reads them for all
 * its streams: `LISTEN listing_change` signals new ones quickly, and polling every second covers lost signals. A stream
 * keeps at most `MOST_WAITING` changes in memory; one that falls behind drops them and reads the database itself, page
 * by page.
 */
import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import {
  listChangesAfter,
  type ListingChange,
  readLastChangeId,
} from '../../stores/catalogue/listing-changes';
import { createListener } from '../../stores/listener';
import { type ChangePosition, positionAt } from '../../domain/catalogue/change-position';

export type { ListingChange };

const LOOK_EVERY_MS = 1_000;
const CHANNEL = 'listing_change';
const BATCH = 200;
const MOST_WAITING = 200;

interface Follower {
  waiting: ListingChange[];
  /** True if the stream must read the database, because it resumes or changes were dropped. */
  isBehind: boolean;
  wake: () => void;
}

/**
 * Reads new changes for all followers, by one statement per turn whatever their number. It runs only while there is
 * one.
 */
function createReader(deps: { pool: DbPool; sessions?: DbPool; logger: Logger }) {
  const { pool, logger } = deps;
  const followers = new Set<Follower>();
  let timer: NodeJS.Timeout | undefined;
  let position: Promise<ChangePosition> | undefined;
  let turning: Promise<void> | undefined;

  /** Where the reader continues. It begins with the newest change. */
  function begin(): Promise<ChangePosition> {
    position ??= readLastChangeId(pool).then(positionAt, (error: unknown) => {
      position = undefined;
      throw error;
    });
    return position;
  }

  async function turn(): Promise<void> {
    const at = await begin();
    for (let isWhole = false; !isWhole && followers.size > 0;) {
      const changes = await listChangesAfter(pool, at.from(), BATCH);
      for (const change of changes) if (at.pass(change.changeId)) followers.forEach(give(change));
      isWhole = changes.length < BATCH;
    }
  }

  /** A failed turn is repeated by the next one, from the same position. */
  function look(): void {
    if (followers.size === 0) return;
    turning ??= turn()
      .catch((error: unknown) =>
        logger.debug({ err: error }, 'could not read changes of listings; trying again'),
      )
      .finally(() => (turning = undefined));
  }

  const listener = createListener({
    pool: deps.sessions ?? pool,
    channel: CHANNEL,
    onPayload: look,
    onFailure: (error) =>
      logger.debug({ err: error }, 'could not listen for listings; polling every second instead'),
  });

  return {
    /** Resolves when every later change will be given to the follower. */
    async join(follower: Follower): Promise<void> {
      followers.add(follower);
      timer ??= setInterval(() => {
        void listener.ensure();
        look();
      }, LOOK_EVERY_MS).unref();
      void listener.ensure();
      await begin();
    },
    leave(follower: Follower): void {
      followers.delete(follower);
      if (followers.size > 0) return;
      clearInterval(timer);
      timer = undefined;
      position = undefined;
    },
    stop(): void {
      clearInterval(timer);
      listener.stop();
      for (const follower of followers) follower.wake();
    },
  };
}

const give = (change: ListingChange) => (follower: Follower) => {
  if (follower.waiting.length < MOST_WAITING) follower.waiting.push(change);
  else follower.isBehind = true;
  follower.wake();
};

export function createListingWatch(deps: { pool: DbPool; sessions?: DbPool; logger: Logger }) {
  const { pool } = deps;
  const reader = createReader(deps);
  let isStopped = false;

  return {
    /** Yields changes after `after` (default: from now on), each once, until the signal aborts. */
    async *follow(after: number | undefined, signal: AbortSignal): AsyncGenerator<ListingChange> {
      const follower: Follower = { waiting: [], isBehind: true, wake: () => undefined };
      const wake = () => follower.wake();
      const isOver = () => signal.aborted || isStopped;
      signal.addEventListener('abort', wake);
      try {
        // The reader must have its position before this stream reads the newest one, or changes between them are lost.
        await reader.join(follower);
        const at = positionAt(after ?? (await readLastChangeId(pool)));
        while (!isOver()) {
          for (const change of await nextBatch(pool, follower, at)) {
            if (isOver()) return;
            if (at.pass(change.changeId)) yield change;
          }
          if (!isOver() && !follower.isBehind && follower.waiting.length === 0)
            await new Promise<void>((resolve) => (follower.wake = resolve));
        }
      } finally {
        signal.removeEventListener('abort', wake);
        reader.leave(follower);
      }
    },

    /** Ends every stream. Clients connect to another process and resume. */
    stop(): void {
      isStopped = true;
      reader.stop();
    },
  };
}

export type ListingWatch = ReturnType<typeof createListingWatch>;

/** The pending changes of a stream; changes of the database, if it resumes or changes were dropped. */
async function nextBatch(pool: DbPool, follower: Follower, at: ChangePosition): Promise<ListingChange[]> {
  if (!follower.isBehind) return follower.waiting.splice(0);
  // Before the read: changes that come meanwhile are kept, or are dropped and make the stream read again.
  follower.isBehind = false;
  follower.waiting.length = 0;
  const page = await listChangesAfter(pool, at.from(), BATCH);
  if (page.length === BATCH) follower.isBehind = true;
  return page;
}

/**
 * Reads new events for all streams of a process, by one statement per turn whatever the number of streams (ADR 0120).
 * It runs only while a stream is open.
 */
import { EVENTS_KEPT_MS } from '../../domain/webhooks/event-stream';
import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import {
  type AccountEvent,
  followEvents,
  orderEvents,
  readEventsAfter,
  readNewestPosition,
} from '../../stores/webhooks/event-inbox';

const LOOK_EVERY_MS = 500;
/** The accounts with open streams are noted again after this time; they count as followers for a day. */
const FOLLOW_EVERY_MS = 600_000;
const BATCH = 500;
/** Batches of one turn; the rest waits for the next turn. */
const MOST_BATCHES = 20;

export interface EventReaderDeps {
  pool: DbPool;
  logger: Logger;
  /** The accounts that have streams in this process. */
  accounts: () => string[];
  give: (event: AccountEvent) => void;
}

export function createEventReader({ pool, logger, accounts, give }: EventReaderDeps) {
  let timer: NodeJS.Timeout | undefined;
  let cursor: Promise<number> | undefined;
  let turning: Promise<void> | undefined;
  let notedAt = 0;

  /** Where the reader continues. It begins with the newest event. */
  function begin(): Promise<number> {
    cursor ??= readNewestPosition(pool).catch((error: unknown) => {
      cursor = undefined;
      throw error;
    });
    return cursor;
  }

  async function readNew(from: number): Promise<number> {
    let after = from;
    for (let batches = 0; batches < MOST_BATCHES; batches += 1) {
      const ordered = await orderEvents(pool, BATCH);
      const page = await readEventsAfter(pool, { after, userIds: accounts(), limit: BATCH });
      page.events.forEach(give);
      after = page.last;
      if (page.isWhole && ordered < BATCH) break;
    }
    return after;
  }

  async function turn(): Promise<void> {
    if (Date.now() - notedAt > FOLLOW_EVERY_MS) {
      await followEvents(pool, accounts(), EVENTS_KEPT_MS);
      notedAt = Date.now();
    }
    const last = await readNew(await begin());
    if (timer) cursor = Promise.resolve(last);
  }

  /** A failed turn is repeated by the next one, from the same position. */
  function look(): void {
    turning ??= turn()
      .catch((error: unknown) => {
        logger.debug({ err: error }, 'could not read new events; trying again');
      })
      .finally(() => (turning = undefined));
  }

  return {
    /** Starts the turns. Resolves when every later event will be given. */
    async start(): Promise<void> {
      timer ??= setInterval(look, LOOK_EVERY_MS).unref();
      await begin();
    },
    pause(): void {
      clearInterval(timer);
      timer = undefined;
      cursor = undefined;
    },
    turn,
  };
}

/**
 * Follows the events of accounts (`GET /v1/events/stream`, ADR 0120). A stream keeps at most `MOST_WAITING` events in
 * memory. One that falls behind drops them and reads the database itself, page by page, until it has caught up. So a
 * slow client delays no other stream.
 */
import { EVENTS_KEPT_MS } from '../../domain/webhooks/event-stream';
import type { Cipher } from '../../kit/crypto/cipher';
import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import {
  type AccountEvent,
  followEvents,
  readAccountEvents,
  readInboxEnds,
} from '../../stores/webhooks/event-inbox';
import { createEventReader } from './event-reader';
import { createPrompts } from './question-prompts';

export type { AccountEvent };

const MOST_WAITING = 200;
const PAGE = 100;

interface Follower {
  userId: string;
  waiting: AccountEvent[];
  /** True if events were dropped, so that the stream must read the database. */
  isBehind: boolean;
  wake: () => void;
}

export interface FollowOptions {
  /** The last position that the client has; undefined begins with the next event. */
  after: number | undefined;
  signal: AbortSignal;
}

export interface Following {
  /** The position at which the stream begins. */
  position: number;
  /** False if events between `after` and the present may be missing. */
  isComplete: boolean;
  /** Yields each event once, in the order of positions, until the signal aborts. */
  events: AsyncGenerator<AccountEvent, void, undefined>;
}

export interface EventStreamsDeps {
  pool: DbPool;
  cipher: Pick<Cipher, 'unseal'>;
  logger: Logger;
}

export function createEventStreams({ pool, cipher, logger }: EventStreamsDeps) {
  const withPrompt = createPrompts({ pool, cipher });
  const followers = createFollowers();
  const reader = createEventReader({ pool, logger, accounts: followers.accounts, give: followers.give });
  let isStopped = false;

  function remove(follower: Follower): void {
    if (followers.remove(follower) === 0) reader.pause();
  }

  async function* events(follower: Follower, from: number, signal: AbortSignal) {
    let last = from;
    const wake = () => follower.wake();
    const isOver = () => signal.aborted || isStopped;
    signal.addEventListener('abort', wake);
    try {
      while (!isOver()) {
        for (const event of await nextBatch(pool, follower, last)) {
          if (isOver()) return;
          if (event.position <= last) continue;
          last = event.position;
          yield await withPrompt(event);
        }
        if (!isOver() && !follower.isBehind && follower.waiting.length === 0)
          await new Promise<void>((resolve) => (follower.wake = resolve));
      }
    } finally {
      signal.removeEventListener('abort', wake);
      remove(follower);
    }
  }

  return {
    /** Begins to follow the events of an account. Read `events` to its end, or the account is followed for ever. */
    async follow(userId: string, { after, signal }: FollowOptions): Promise<Following> {
      await followEvents(pool, [userId], EVENTS_KEPT_MS);
      const follower = followers.add(userId);
      try {
        // The reader must have its position before this stream reads the newest one, or events between them are lost.
        await reader.start();
        const { newest, since } = await readInboxEnds(pool, userId);
        // Every later event gets a position behind both.
        const present = Math.max(newest, since);
        const position = Math.min(after ?? present, present);
        return { position, isComplete: position >= since, events: events(follower, position, signal) };
      } catch (error) {
        remove(follower);
        throw error;
      }
    },

    /** One turn of the reader, for tests. */
    turn: reader.turn,

    /** Ends every stream. Clients connect to another process and resume. */
    stop(): void {
      isStopped = true;
      followers.wakeAll();
    },
  };
}

export type EventStreams = ReturnType<typeof createEventStreams>;

/** The streams of this process by account. */
function createFollowers() {
  const byAccount = new Map<string, Set<Follower>>();
  return {
    accounts: () => [...byAccount.keys()],
    give(event: AccountEvent): void {
      for (const follower of byAccount.get(event.userId) ?? []) {
        if (follower.waiting.length < MOST_WAITING) follower.waiting.push(event);
        else follower.isBehind = true;
        follower.wake();
      }
    },
    add(userId: string): Follower {
      const follower: Follower = { userId, waiting: [], isBehind: true, wake: () => undefined };
      const others = byAccount.get(userId);
      if (others) others.add(follower);
      else byAccount.set(userId, new Set([follower]));
      return follower;
    },
    /** Returns how many accounts are left. */
    remove(follower: Follower): number {
      const others = byAccount.get(follower.userId);
      others?.delete(follower);
      if (others?.size === 0) byAccount.delete(follower.userId);
      return byAccount.size;
    },
    wakeAll(): void {
      for (const follower of [...byAccount.values()].flatMap((some) => [...some])) follower.wake();
    },
  };
}

/** The pending events of a stream; events of the database, if events were dropped. */
async function nextBatch(pool: DbPool, follower: Follower, after: number): Promise<AccountEvent[]> {
  if (!follower.isBehind) return follower.waiting.splice(0);
  // Before the read: events that come meanwhile are kept, or are dropped and make the stream read again.
  follower.isBehind = false;
  follower.waiting.length = 0;
  const page = await readAccountEvents(pool, { userId: follower.userId, after, limit: PAGE });
  if (page.length === PAGE) follower.isBehind = true;
  return page;
}

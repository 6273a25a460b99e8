/**
 * Follows tasks, whichever process performs them. Events are stored in Postgres, in order. `LISTEN a2a_task` signals
 * new events quickly; polling every second covers lost signals.
 */
import type { Logger } from '../../logger';
import { readLastSeqs, readTaskEvents, type TaskEvent } from '../../stores/a2a/a2a-tasks';
import type { DbPool } from '../../stores/db';
import { createListener } from '../../stores/listener';

const LOOK_EVERY_MS = 1_000;
const CHANNEL = 'a2a_task';

interface Follower {
  seenSeq: number;
  wake: () => void;
}

export function createTaskWatch(deps: { pool: DbPool; sessions?: DbPool; logger: Logger }) {
  const followers = new Map<string, Set<Follower>>();
  let timer: NodeJS.Timeout | undefined;

  const listener = createListener({
    pool: deps.sessions ?? deps.pool,
    channel: CHANNEL,
    onPayload: (taskId) => followers.get(taskId)?.forEach((follower) => follower.wake()),
    onFailure: (error) =>
      deps.logger.debug({ err: error }, 'could not listen for tasks; polling every second instead'),
  });

  async function look(): Promise<void> {
    await listener.ensure();
    if (followers.size === 0) return;
    const lastSeqs = await readLastSeqs(deps.pool, [...followers.keys()]);
    for (const [taskId, lastSeq] of lastSeqs) {
      for (const follower of followers.get(taskId) ?? []) if (lastSeq > follower.seenSeq) follower.wake();
    }
  }

  function lookAgain(): void {
    look().catch((error: unknown) =>
      deps.logger.debug({ err: error }, 'could not poll for changes of tasks'),
    );
  }

  return {
    /**
     * Returns the events of a task after `seq`. Waits until there is at least one; returns none when the signal aborts.
     * No event is lost between two calls.
     */
    async next(taskId: string, seq: number, signal: AbortSignal): Promise<TaskEvent[]> {
      timer ??= setInterval(lookAgain, LOOK_EVERY_MS).unref();
      await listener.ensure();
      while (!signal.aborted) {
        const done = new AbortController();
        const change = changed(followers, taskId, seq, AbortSignal.any([signal, done.signal]));
        try {
          const events = await readTaskEvents(deps.pool, taskId, seq);
          if (events.length > 0) return events;
          await change;
        } finally {
          done.abort();
        }
      }
      return [];
    },

    stop(): void {
      clearInterval(timer);
      listener.stop();
    },
  };
}

export type TaskWatch = ReturnType<typeof createTaskWatch>;

/** Resolves when the task changes or the signal aborts. */
function changed(
  followers: Map<string, Set<Follower>>,
  taskId: string,
  seenSeq: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const all = followers.get(taskId) ?? new Set();
    const wake = () => {
      signal.removeEventListener('abort', wake);
      all.delete(follower);
      if (all.size === 0 && followers.get(taskId) === all) followers.delete(taskId);
      resolve();
    };
    const follower: Follower = { seenSeq, wake };
    followers.set(taskId, all.add(follower));
    signal.addEventListener('abort', wake, { once: true });
    if (signal.aborted) wake();
  });
}

/**
 * Follows tasks, whichever process performs them. Events are stored in Postgres, in order. `LISTEN a2a_task` signals
 * new events quickly; polling every second covers lost signals. What the agent of a job reports is found by polling
 * only, so no follower hears of it more than once a second.
 */
import type { Logger } from '../../logger';
import { anySignal } from '../../kit/concurrency/any-signal';
import { readTaskEvents, readTaskMarks, type TaskEvent, type TaskMark } from '../../stores/a2a/a2a-tasks';
import type { DbPool } from '../../stores/db';
import { createListener } from '../../stores/listener';

const LOOK_EVERY_MS = 1_000;
const CHANNEL = 'a2a_task';

export type { TaskMark };

/** What is new of a task: its events, which are none if only its job has reported, and how far it is now. */
export interface TaskNews {
  events: TaskEvent[];
  mark: TaskMark;
}

interface Follower {
  seen: TaskMark;
  wake: () => void;
}

const isNews = (mark: TaskMark, seen: TaskMark): boolean =>
  mark.seq > seen.seq || mark.heardAtMs > seen.heardAtMs;

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
    const marks = await readTaskMarks(deps.pool, [...followers.keys()]);
    for (const [taskId, mark] of marks) {
      for (const follower of followers.get(taskId) ?? []) if (isNews(mark, follower.seen)) follower.wake();
    }
  }

  function lookAgain(): void {
    look().catch((error: unknown) =>
      deps.logger.debug({ err: error }, 'could not poll for changes of tasks'),
    );
  }

  return {
    /**
     * Returns what is new of a task since `seen`. Waits until there is something; returns nothing new when the signal
     * aborts. No event is lost between two calls.
     */
    async next(taskId: string, seen: TaskMark, signal: AbortSignal): Promise<TaskNews> {
      timer ??= setInterval(lookAgain, LOOK_EVERY_MS).unref();
      await listener.ensure();
      while (!signal.aborted) {
        const done = new AbortController();
        const change = changed(followers, taskId, seen, anySignal(signal, done.signal));
        try {
          const mark = (await readTaskMarks(deps.pool, [taskId])).get(taskId);
          if (mark && isNews(mark, seen)) {
            const events = mark.seq > seen.seq ? await readTaskEvents(deps.pool, taskId, seen.seq) : [];
            const seq = events.at(-1)?.seq ?? seen.seq;
            return { events, mark: { seq, heardAtMs: mark.heardAtMs } };
          }
          await change;
        } finally {
          done.abort();
        }
      }
      return { events: [], mark: seen };
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
  seen: TaskMark,
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
    const follower: Follower = { seen, wake };
    followers.set(taskId, all.add(follower));
    signal.addEventListener('abort', wake, { once: true });
    if (signal.aborted) wake();
  });
}

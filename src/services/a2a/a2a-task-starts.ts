import { listUnstarted, markTaskStarted, type UnstartedTask } from '../../stores/a2a/a2a-task-work';
import { purgeTasks } from '../../stores/a2a/a2a-tasks';
import type { DbPool } from '../../stores/db';

export type { UnstartedTask };

/** Younger tasks are still being started by the process that accepted them. */
const SETTLED_MS = 3_000;
/**
 * A workflow that was confirmed longer ago may be lost while its task has no hold yet. The sweep runs each 15 s, so
 * such a task is started again within 45 s.
 */
const CONFIRMED_FOR_MS = 30_000;
const BATCH = 200;

/** Unstarted and expired tasks, for the loops of the worker. */
export function createTaskStarts({ pool }: { pool: DbPool }) {
  return {
    listWaiting: (): Promise<UnstartedTask[]> =>
      listUnstarted(pool, { olderThanMs: SETTLED_MS, confirmedForMs: CONFIRMED_FOR_MS, most: BATCH }),
    markStarted: (taskId: string): Promise<void> => markTaskStarted(pool, taskId),

    /** Deletes expired messages, and tasks that were rejected a day ago. */
    async purge(): Promise<void> {
      while ((await purgeTasks(pool, BATCH)) >= BATCH);
    },
  };
}

export type TaskStarts = ReturnType<typeof createTaskStarts>;

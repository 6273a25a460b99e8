/** Follows a task to its end, and streams its changes in the format of the protocol. */
import { StreamResponse } from '@a2a-js/sdk';
import { isTaskOver } from '../../domain/a2a/a2a-task';
import { artifactUpdateJson, statusUpdateJson, taskJson, type TaskView } from '../../domain/a2a/a2a-wire';
import type { TaskScope, TaskViews } from '../../services/a2a/a2a-task-views';
import type { TaskWatch } from '../../services/a2a/a2a-task-watch';
import type { A2aCaller } from './caller';

export interface FollowDeps {
  taskViews: TaskViews;
  taskWatch: Pick<TaskWatch, 'next'>;
}

/** The client that follows a task. */
type Reader = Pick<A2aCaller, 'closed' | 'hold'>;

/** Waits until the task has ended or the client has disconnected, and returns the task. */
export async function untilOver(
  { taskViews, taskWatch }: FollowDeps,
  scope: TaskScope,
  taskId: string,
  { closed, hold }: Reader,
): Promise<TaskView> {
  let view = await taskViews.get(scope, taskId, hold);
  while (!isTaskOver(view.state) && !closed.aborted) {
    await taskWatch.next(taskId, view.lastSeq, closed);
    view = await taskViews.get(scope, taskId, hold);
  }
  return view;
}

/** Yields the task, then each change. The result precedes the final status. */
export async function* streamOf(
  deps: FollowDeps,
  scope: TaskScope,
  first: TaskView,
  { closed, hold }: Reader,
): AsyncGenerator<StreamResponse, void, undefined> {
  const { taskId } = first;
  yield StreamResponse.fromJSON({ task: taskJson(first) });
  let seen = first.lastSeq;
  let isOver = isTaskOver(first.state);
  while (!isOver && !closed.aborted) {
    for (const event of await deps.taskWatch.next(taskId, seen, closed)) {
      const view = await deps.taskViews.get(scope, taskId, hold);
      const artifact = event.state === 'COMPLETED' ? artifactUpdateJson(view) : undefined;
      if (artifact) yield StreamResponse.fromJSON(artifact);
      yield StreamResponse.fromJSON(statusUpdateJson(view, event.state, event.at));
      seen = event.seq;
      isOver = isTaskOver(event.state);
    }
  }
}

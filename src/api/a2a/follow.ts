/** Follows a task to its end, and streams its changes in the format of the protocol. */
import { StreamResponse } from '@a2a-js/sdk';
import { isTaskOver } from '../../domain/a2a/a2a-task';
import {
  artifactUpdateJson,
  isAsking,
  isJobNews,
  statusUpdateJson,
  taskJson,
  type TaskView,
} from '../../domain/a2a/a2a-wire';
import type { TaskScope, TaskViews } from '../../services/a2a/a2a-task-views';
import type { TaskMark, TaskWatch } from '../../services/a2a/a2a-task-watch';
import type { A2aCaller } from './caller';

export interface FollowDeps {
  taskViews: TaskViews;
  taskWatch: Pick<TaskWatch, 'next'>;
}

/** The client that follows a task. */
type Reader = Pick<A2aCaller, 'closed' | 'hold'>;

/** Waits until the task has ended or asks its caller, or the client has disconnected, and returns the task. */
export async function untilOver(
  { taskViews, taskWatch }: FollowDeps,
  scope: TaskScope,
  taskId: string,
  { closed, hold }: Reader,
): Promise<TaskView> {
  let view = await taskViews.get(scope, taskId, hold);
  let mark = markOf(view);
  while (!isTaskOver(view.state) && !isAsking(view) && !closed.aborted) {
    const news = await taskWatch.next(taskId, mark, closed);
    mark = news.mark;
    view = await taskViews.get(scope, taskId, hold);
  }
  return view;
}

/** How far a task is that was just read. */
function markOf({ lastSeq, job }: TaskView): TaskMark {
  return { seq: lastSeq, heardAtMs: job?.heardAt.getTime() ?? 0 };
}

/**
 * Yields the task, then each change, and what the agent of a job reports, at most once a second. The result precedes
 * the final status.
 */
export async function* streamOf(
  deps: FollowDeps,
  scope: TaskScope,
  first: TaskView,
  { closed, hold }: Reader,
): AsyncGenerator<StreamResponse, void, undefined> {
  const { taskId } = first;
  yield StreamResponse.fromJSON({ task: taskJson(first) });
  let mark = markOf(first);
  let { job } = first;
  let isOver = isTaskOver(first.state);
  while (!isOver && !closed.aborted) {
    const news = await deps.taskWatch.next(taskId, mark, closed);
    mark = news.mark;
    const view = await deps.taskViews.get(scope, taskId, hold);
    for (const event of news.events) {
      const artifact = event.state === 'COMPLETED' ? artifactUpdateJson(view) : undefined;
      if (artifact) yield StreamResponse.fromJSON(artifact);
      yield StreamResponse.fromJSON(statusUpdateJson(view, event.state, event.at));
      isOver = isTaskOver(event.state);
    }
    if (news.events.length === 0 && isJobNews(job, view.job))
      yield StreamResponse.fromJSON(statusUpdateJson(view, view.state, view.job.heardAt));
    job = view.job ?? job;
  }
}

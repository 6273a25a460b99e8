import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { TaskStep } from '../domain/a2a/a2a-task';
import type { HoldStep } from '../domain/calls/invocation-steps';
import type { TaskSteps } from '../services/a2a/a2a-task-steps';
import { withHeartbeats } from './heartbeat';

export type TaskActivities = ReturnType<typeof createTaskActivities>;

/**
 * Activities of a task. `performTask` sends heartbeats and reacts to cancellation. When its worker shuts down, it
 * throws a retryable failure, so that another worker takes the task over as after a crash.
 */
export function createTaskActivities(steps: TaskSteps) {
  return {
    holdTaskCredits: (taskId: string): Promise<HoldStep> => steps.hold(taskId),

    async performTask(taskId: string): Promise<TaskStep> {
      const context = Context.current();
      const step = await withHeartbeats(() => steps.perform(taskId, endOf(context)));
      if (step.kind === 'failed' && context.cancellationDetails?.workerShutdown) {
        throw ApplicationFailure.retryable('the worker is shutting down', 'WorkerShutdown');
      }
      return step;
    },
  };
}

/**
 * A signal that aborts when the task's cancellation is requested or this worker shuts down. It does not abort when
 * Temporal timed the attempt out, for example after an outage longer than the heartbeat timeout, and started another
 * attempt: both attempts share the call, and its hold decides.
 */
function endOf(context: Context): AbortSignal {
  const end = new AbortController();
  const decide = () => {
    const details = context.cancellationDetails;
    if (details === undefined || details.cancelRequested || details.workerShutdown) end.abort();
  };
  context.cancellationSignal.addEventListener('abort', decide, { once: true });
  if (context.cancellationSignal.aborted) decide();
  return end.signal;
}

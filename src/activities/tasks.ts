import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { TaskStep } from '../domain/a2a/a2a-task';
import type { HoldStep } from '../domain/calls/invocation-steps';
import type { TaskSteps } from '../services/a2a/a2a-task-steps';

export type TaskActivities = ReturnType<typeof createTaskActivities>;

const HEARTBEAT_MS = 2_000;

/**
 * The steps of a task, told to Temporal: alive by heartbeats, and ended by a cancellation. A worker that stops gives
 * the task back: another one takes it over as after a death.
 */
export function createTaskActivities(steps: TaskSteps) {
  return {
    holdTaskCredits: (taskId: string): Promise<HoldStep> => steps.hold(taskId),

    async performTask(taskId: string): Promise<TaskStep> {
      const context = Context.current();
      const beat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
      try {
        const step = await steps.perform(taskId, endOf(context));
        if (step.kind === 'failed' && context.cancellationDetails?.workerShutdown) {
          throw ApplicationFailure.retryable('the worker stops', 'WorkerShutdown');
        }
        return step;
      } finally {
        clearInterval(beat);
      }
    },
  };
}

/**
 * Aborts when somebody ends the task, or this worker stops. An engine that was away for longer than a heartbeat may take
 * has lost sight of an attempt and begun another one: that ends nothing, since both share the call and its hold decides.
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

import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { TaskStep } from '../domain/a2a/a2a-task';
import type { HoldStep } from '../domain/calls/invocation-steps';
import type { TaskSteps } from '../services/a2a/a2a-task-steps';
import { withHeartbeats } from './heartbeat';

export type TaskActivities = ReturnType<typeof createTaskActivities>;

/** Faults in a row after which a task ends in a process. Attempts that found no place do not count. */
const MOST_FAULTS = 10;
/** Tasks whose faults are remembered. */
const MOST_TASKS = 10_000;
/** Pauses of a task that found no place: a second more for each attempt, up to the longest. */
const BUSY_PAUSE_MS = 1_000;
const LONGEST_BUSY_PAUSE_MS = 10_000;

/**
 * Activities of a task. `performTask` sends heartbeats and reacts to cancellation. When its worker shuts down, it
 * throws a retryable failure, so that another worker takes the task over as after a crash.
 */
export function createTaskActivities(steps: TaskSteps) {
  const failing = createFaultCounts();
  return {
    holdTaskCredits: (taskId: string): Promise<HoldStep> => steps.hold(taskId),

    async performTask(taskId: string): Promise<TaskStep> {
      const context = Context.current();
      const step = await withHeartbeats(() => steps.perform(taskId, endOf(context))).catch(
        (fault: unknown) => {
          throw failing.count(taskId, fault);
        },
      );
      failing.forget(taskId);
      if (step === 'busy') throw busy(context.info.attempt);
      if (step.kind === 'failed' && context.cancellationDetails?.workerShutdown) {
        throw ApplicationFailure.retryable('the worker is shutting down', 'WorkerShutdown');
      }
      return step;
    },
  };
}

/** A retryable failure: the accounts of the task have their share of the places of this process. */
function busy(attempt: number): ApplicationFailure {
  const pauseMs = Math.min(attempt * BUSY_PAUSE_MS, LONGEST_BUSY_PAUSE_MS);
  const nextRetryDelay = pauseMs * (0.5 + Math.random());
  return ApplicationFailure.create({ message: 'wait', type: 'Busy', nextRetryDelay });
}

function createFaultCounts() {
  const counts = new Map<string, number>();
  return {
    forget: (taskId: string) => void counts.delete(taskId),
    /** The failure for the engine: retryable until a task has failed too often. */
    count(taskId: string, fault: unknown): unknown {
      const faults = (counts.get(taskId) ?? 0) + 1;
      counts.delete(taskId);
      if (faults >= MOST_FAULTS) {
        const cause = fault instanceof Error ? fault : undefined;
        return ApplicationFailure.create({
          message: 'too many faults',
          nonRetryable: true,
          ...(cause && { cause }),
        });
      }
      if (counts.size >= MOST_TASKS) counts.delete(counts.keys().next().value ?? '');
      counts.set(taskId, faults);
      return fault;
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

import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { TaskForwardStep, TaskStep } from '../domain/a2a/a2a-task';
import type { HoldStep, SettleStep, ValidateStep } from '../domain/calls/invocation-steps';
import type { JobLook } from '../domain/jobs/job-look';
import type { TaskSteps } from '../services/a2a/a2a-task-steps';
import type { JobSteps } from '../services/jobs/job-steps';
import { withHeartbeats } from './heartbeat';

export type TaskActivities = ReturnType<typeof createTaskActivities>;
export type TaskAnswerActivities = ReturnType<typeof createTaskAnswerActivities>;

/** `queue`: only the process that received the answer polls it. */
export type JobLookStep =
  (Extract<JobLook, { kind: 'answered' }> & { queue: string }) | Exclude<JobLook, { kind: 'answered' }>;

/** Faults in a row after which a task ends in a process. Attempts that found no place do not count. */
const MOST_FAULTS = 10;
/** Tasks whose faults are remembered. */
const MOST_TASKS = 10_000;
/** Pauses of a task that found no place: a second more for each attempt, up to the longest. */
const BUSY_PAUSE_MS = 1_000;
const LONGEST_BUSY_PAUSE_MS = 10_000;

/**
 * Activities of a task up to its answer. Those that call the agent send heartbeats and react to cancellation. When
 * their worker shuts down, they throw a retryable failure, so that another worker takes the task over as after a crash.
 * `answerQueue`: the queue of `createTaskAnswerActivities` in this process.
 */
export function createTaskActivities(steps: TaskSteps & JobSteps, answerQueue: string) {
  const failing = createFaultCounts();

  /** `mayFail`: a task whose steps have failed too often ends. */
  async function attempt<S extends { kind: string }>(
    taskId: string,
    work: (end: AbortSignal) => Promise<S | 'busy'>,
    mayFail = true,
  ): Promise<S> {
    const context = Context.current();
    const step = await withHeartbeats(() => work(endOf(context))).catch((fault: unknown) => {
      throw mayFail ? failing.count(taskId, fault) : fault;
    });
    failing.forget(taskId);
    if (step === 'busy') throw busy(context.info.attempt);
    if (step.kind === 'failed' && context.cancellationDetails?.workerShutdown) {
      throw ApplicationFailure.retryable('the worker is shutting down', 'WorkerShutdown');
    }
    return step;
  }

  return {
    holdCredits: (taskId: string): Promise<HoldStep> => steps.hold(taskId),

    async forwardCall(taskId: string): Promise<TaskForwardStep> {
      const step = await attempt(taskId, (end) => steps.forward(taskId, end));
      return step.kind === 'answered' ? { ...step, queue: answerQueue } : step;
    },

    /**
     * Looks at a job (ADR 0304), again and again while Postgres is away: a job has its own end. An answer then stays in
     * this process. Workflows of earlier releases give no `askAfterMs`.
     */
    async lookAtJob(taskId: string, asked: number, askAfterMs = 0): Promise<JobLookStep> {
      const look = await attempt(taskId, (end) => steps.look(taskId, { asked, askAfterMs }, end), false);
      return look.kind === 'answered' ? { ...look, queue: answerQueue } : look;
    },

    /**
     * A local activity: ends a job whose agent has called back (ADR 0371). `open`: the job must be looked at.
     */
    endCalledBack: (taskId: string) => steps.endCalledBack(taskId, endOf(Context.current())),

    /** Tells the agent of a job that ended without it. After so many attempts, the agent is left alone. */
    async stopAgent(taskId: string, mostAttempts: number): Promise<void> {
      const isLast = Context.current().info.attempt >= mostAttempts;
      await withHeartbeats((signal) => steps.stop(taskId, isLast, signal));
    },

    /** As a workflow of an earlier release calls `holdCredits`. */
    holdTaskCredits: (taskId: string): Promise<HoldStep> => steps.hold(taskId),

    /** The steps after the hold in one, for workflows of earlier releases. */
    performTask: (taskId: string): Promise<TaskStep> => attempt(taskId, (end) => steps.perform(taskId, end)),
  };
}

/** The activities of a task that need its answer, in the process that received it. */
export function createTaskAnswerActivities(steps: TaskSteps) {
  return {
    validateOutput: (taskId: string): Promise<ValidateStep> => steps.validate(taskId),
    settle: (taskId: string): Promise<SettleStep> => steps.settle(taskId),
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

/**
 * A call in mode `task` (contract, "MCP, A2A"). No process holds a caller for it, so workers perform it, and each of
 * its four steps is a regular activity. Calling the agent has heartbeats and a queue of its own, so that a worker's
 * death is detected, a cancellation reaches it, and tasks that wait for their agents occupy no slot of the queue
 * `operations`. The worker that received the answer validates and settles it. When that worker is gone, the hold
 * decides whether the agent may be called again.
 */
import {
  ActivityFailure,
  CancellationScope,
  isCancellation,
  makeContinueAsNewFunc,
  patched,
  proxyActivities,
  proxyLocalActivities,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { TaskActivities, TaskAnswerActivities } from '../activities/tasks';
import type { RefundActivities } from '../activities/invocation';
import { type TaskStep, taskQueueOf } from '../domain/a2a/a2a-task';
import type { ErrorCode } from '../domain/errors';
import { type Fault, drive, type StepsAt } from '../domain/calls/course';
import { JOB_WORKFLOW, type JobWorkflowInput } from '../domain/jobs/job-look';
import type {
  ForwardStep,
  InvocationOutcome,
  InvocationWorkflowInput,
} from '../domain/calls/invocation-steps';
import { codeOf, MONEY_STEP } from './invocation-endings';

/** Time besides the agent's own: decrypting the input, and asking for the permit while Postgres may be unreachable. */
const FORWARD_MARGIN_MS = 120_000;
const FORWARD = {
  heartbeatTimeout: '10s',
  // A task is tried again until it finds a place. The activity itself gives up after ten faults.
  retry: { initialInterval: '500ms', maximumInterval: '5s' },
} as const;
/** How long the worker that holds an answer may take to begin a step. After that, it counts as gone. */
const WORKER_PATIENCE = '10s';
const VALIDATE = {
  startToCloseTimeout: '60s',
  retry: { maximumAttempts: 3, initialInterval: '100ms' },
} as const;

const operations = proxyActivities<RefundActivities & TaskActivities>(MONEY_STEP);
const money = proxyLocalActivities<RefundActivities & TaskActivities>(MONEY_STEP);

/** Hold → forward → validate → settle | refund (`domain/calls/course.ts`). */
export async function carryOutTask(input: InvocationWorkflowInput): Promise<InvocationOutcome> {
  if (!patched('task-steps')) return carryOutAtOnce(input);
  let taken: Partial<Pick<JobWorkflowInput, 'askAfterMs'>> = {};
  const steps = taskSteps(input, ({ askAfterMs }) => {
    if (askAfterMs !== undefined) taken = { askAfterMs };
  });
  const end = await drive(steps, { step: 'hold', at: 'worker' });
  if (end.kind === 'done') return end.outcome;
  if (end.kind === 'step' && end.step === 'wait') return continueAsJob(input, taken);
  return CancellationScope.nonCancellable(async () => {
    const { outcome } = await operations.refund(input.invocationId, codeOf(end));
    return outcome;
  });
}

/** The agent has accepted the call as a job: the workflow goes on as one, under the same id. */
function continueAsJob(
  { invocationId, traceId, priceCredits = 0 }: InvocationWorkflowInput,
  taken: Partial<Pick<JobWorkflowInput, 'askAfterMs'>>,
): Promise<never> {
  const asJob = makeContinueAsNewFunc<(input: JobWorkflowInput) => Promise<InvocationOutcome>>({
    workflowType: JOB_WORKFLOW,
  });
  return asJob({ invocationId, traceId, priceCredits, asked: 0, ...taken });
}

/** A hold that was begun is finished, and an answer is settled, whatever cancels the task. */
function taskSteps(
  { invocationId, timeoutMs }: InvocationWorkflowInput,
  onTaken: (step: Extract<ForwardStep, { kind: 'taken' }>) => void,
): StepsAt {
  const { holdAt, ...answers } = answerSteps(invocationId);
  return {
    hold: () => CancellationScope.nonCancellable(() => operations.holdCredits(invocationId)),
    async forward() {
      try {
        const step = await callers(timeoutMs).forwardCall(invocationId);
        if (step.kind === 'answered') holdAt(step.queue);
        if (step.kind === 'taken') onTaken(step);
        return step;
      } catch (error) {
        return faultOfTask(error);
      }
    },
    ...answers,
  };
}

/** The steps of an answer, in the worker that has it: `holdAt` names the queue that only this worker polls. */
export function answerSteps(invocationId: string) {
  let queue = '';
  const holder = (options: typeof VALIDATE | typeof MONEY_STEP) =>
    proxyActivities<TaskAnswerActivities>({
      ...options,
      taskQueue: queue,
      scheduleToStartTimeout: WORKER_PATIENCE,
    });
  return {
    holdAt(answerQueue: string) {
      queue = answerQueue;
    },
    validate: () =>
      CancellationScope.nonCancellable(() =>
        holder(VALIDATE).validateOutput(invocationId).catch(lostOrFault),
      ),
    settle: () =>
      CancellationScope.nonCancellable(() => holder(MONEY_STEP).settle(invocationId).catch(lostOrFault)),
  };
}

/** The workers that call the agents of tasks. */
function callers(timeoutMs: number) {
  return proxyActivities<TaskActivities>({
    ...FORWARD,
    taskQueue: taskQueueOf(workflowInfo().taskQueue),
    startToCloseTimeout: timeoutMs + FORWARD_MARGIN_MS,
  });
}

/** As tasks of earlier releases go: the steps after the hold are one activity. */
async function carryOutAtOnce({
  invocationId,
  timeoutMs,
}: InvocationWorkflowInput): Promise<InvocationOutcome> {
  const held = await CancellationScope.nonCancellable(() => money.holdTaskCredits(invocationId));
  if (held.kind === 'resolved') return held.outcome;
  const step = await callers(timeoutMs)
    .performTask.executeWithOptions({ summary: `call ${invocationId}` }, [invocationId])
    .catch((error: unknown): TaskStep => ({ kind: 'failed', code: faultOfTask(error).code }));
  if (step.kind === 'ended') return step.outcome;
  return CancellationScope.nonCancellable(async () => {
    const { outcome } = await money.refund(invocationId, step.code);
    return outcome;
  });
}

/** The worker that has the answer is gone, or its step failed. */
function lostOrFault(error: unknown): Fault | { kind: 'elsewhere' } {
  return timeoutOf(error) === 'SCHEDULE_TO_START' ? { kind: 'elsewhere' } : faultOfTask(error);
}

/** A fault with its error code: cancelled in Temporal, worker lost, timeout, or internal. */
export function faultOfTask(error: unknown): Fault {
  return { kind: 'fault', code: codeOfFault(error) };
}

function codeOfFault(error: unknown): ErrorCode {
  if (isCancellation(error)) return 'canceled';
  const timeout = timeoutOf(error);
  if (timeout === undefined) return 'internal_error';
  return timeout === 'HEARTBEAT' ? 'engine_unavailable' : 'agent_timeout';
}

function timeoutOf(error: unknown): TimeoutFailure['timeoutType'] | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof TimeoutFailure ? cause.timeoutType : undefined;
}

/**
 * A call in mode `task` (contract, "MCP, A2A"). No process holds a caller for it, so a worker performs it. Calling the
 * agent is a regular activity with heartbeats on a queue of its own, so that a worker's death is detected, a cancellation
 * reaches it, and tasks that wait for their agents occupy no slot of the queue `operations`. After a death, the hold decides
 * whether the agent may be called again.
 */
import {
  ActivityFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { TaskActivities } from '../activities/tasks';
import type { RefundActivities } from '../activities/invocation';
import { type TaskStep, taskQueueOf } from '../domain/a2a/a2a-task';
import type { ErrorCode } from '../domain/errors';
import type { InvocationOutcome, InvocationWorkflowInput } from '../domain/calls/invocation-steps';
import { MONEY_STEP } from './invocation-endings';

/** Time besides the agent's own: decrypting the input, validating, and settling while Postgres may be unreachable. */
const PERFORM_MARGIN_MS = 120_000;
const PERFORM = {
  heartbeatTimeout: '10s',
  // A task is tried again until it finds a place. The activity itself gives up after ten faults.
  retry: { initialInterval: '500ms', maximumInterval: '5s' },
} as const;

const money = proxyLocalActivities<RefundActivities & TaskActivities>(MONEY_STEP);

export async function carryOutTask(input: InvocationWorkflowInput): Promise<InvocationOutcome> {
  const { invocationId } = input;
  const held = await CancellationScope.nonCancellable(() => money.holdTaskCredits(invocationId));
  if (held.kind === 'resolved') return held.outcome;
  const step = await perform(input);
  if (step.kind === 'ended') return step.outcome;
  return CancellationScope.nonCancellable(async () => {
    const { outcome } = await money.refund(invocationId, step.code);
    return outcome;
  });
}

async function perform({ invocationId, timeoutMs }: InvocationWorkflowInput): Promise<TaskStep> {
  const worker = proxyActivities<TaskActivities>({
    ...PERFORM,
    taskQueue: taskQueueOf(workflowInfo().taskQueue),
    startToCloseTimeout: timeoutMs + PERFORM_MARGIN_MS,
  });
  try {
    return await worker.performTask.executeWithOptions({ summary: `call ${invocationId}` }, [invocationId]);
  } catch (error) {
    return { kind: 'failed', code: codeOfFault(error) };
  }
}

/** Maps a fault to the error code: cancelled in Temporal, worker lost, timeout, or internal. */
function codeOfFault(error: unknown): ErrorCode {
  if (isCancellation(error)) return 'canceled';
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof TimeoutFailure)) return 'internal_error';
  return cause.timeoutType === 'HEARTBEAT' ? 'engine_unavailable' : 'agent_timeout';
}

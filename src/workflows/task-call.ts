/**
 * A call in mode `task` (contract, "MCP, A2A"): nobody waits for it in a process, so a worker of the queue
 * `operations` carries it out. Calling the agent is an ordinary activity with heartbeats: a worker's death is noticed
 * and a cancellation reaches it. Whether the agent may be asked again after a death is decided by the hold.
 */
import {
  ActivityFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { TaskActivities } from '../activities/tasks';
import type { InvocationActivities } from '../activities/invocation';
import type { TaskStep } from '../domain/a2a/a2a-task';
import type { ErrorCode } from '../domain/errors';
import type { InvocationOutcome, InvocationWorkflowInput } from '../domain/calls/invocation-steps';
import { MONEY_STEP } from './invocation-endings';

/** Besides the agent's own time: opening the input, validating, settling while Postgres may be away. */
const PERFORM_MARGIN_MS = 120_000;
const PERFORM = {
  heartbeatTimeout: '10s',
  retry: { initialInterval: '500ms', maximumInterval: '5s', maximumAttempts: 10 },
} as const;

const money = proxyLocalActivities<InvocationActivities & TaskActivities>(MONEY_STEP);

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
    startToCloseTimeout: timeoutMs + PERFORM_MARGIN_MS,
  });
  try {
    return await worker.performTask(invocationId);
  } catch (error) {
    return { kind: 'failed', code: codeOfFault(error) };
  }
}

/** Which code a fault means: canceled through the engine, the last worker died, overran, or a fault of ours. */
function codeOfFault(error: unknown): ErrorCode {
  if (isCancellation(error)) return 'canceled';
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof TimeoutFailure)) return 'internal_error';
  return cause.timeoutType === 'HEARTBEAT' ? 'engine_unavailable' : 'agent_timeout';
}

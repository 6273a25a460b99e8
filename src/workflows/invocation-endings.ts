/** Other ends of a call: its remaining steps in the owner's process, a refund, and the error code of a fault. */
import {
  ActivityFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { OwnerActivities, RefundActivities } from '../activities/invocation';
import type { ErrorCode } from '../domain/errors';
import {
  type InvocationOutcome,
  type InvocationWorkflowInput,
  isUndone,
} from '../domain/calls/invocation-steps';

/** A money step is retried until it has an answer, because Postgres may be away for a while. */
export const MONEY_STEP = {
  startToCloseTimeout: '10s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s' },
} as const;
export const FORWARD_MARGIN_MS = 10_000;
export const FORWARD_RETRY = {
  initialInterval: '100ms',
  maximumInterval: '1s',
  maximumAttempts: 5,
} as const;
/** How long an activity may wait on the owner's queue. After that, the owner counts as gone. */
const OWNER_PATIENCE = '3s';

const money = proxyLocalActivities<RefundActivities>(MONEY_STEP);

type OwnerStep = 'forward' | 'validate' | 'settle';

/** Runs the remaining steps as ordinary activities in the owner's process; refunds when that process is gone. */
export async function atOwner(
  input: InvocationWorkflowInput,
  steps: OwnerStep[],
): Promise<InvocationOutcome> {
  const owner = proxyActivities<OwnerActivities>({
    taskQueue: input.ownerQueue,
    scheduleToStartTimeout: OWNER_PATIENCE,
    startToCloseTimeout: input.timeoutMs + FORWARD_MARGIN_MS,
    retry: FORWARD_RETRY,
  });
  try {
    if (steps.includes('forward')) {
      const forwarded = await owner.forwardCall(input.invocationId);
      if (forwarded.kind === 'resolved') return forwarded.outcome;
      if (forwarded.kind === 'failed') return await refund(input, forwarded.code);
      if (isUndone(forwarded)) return await refund(input, 'engine_unavailable');
    }
    if (steps.includes('validate')) {
      const validated = await owner.validateOutput(input.invocationId);
      if (validated.kind === 'failed') return await refund(input, validated.code);
      if (isUndone(validated)) return await refund(input, 'engine_unavailable');
    }
    const settled = await owner.settle(input.invocationId);
    return isUndone(settled) ? await refund(input, 'engine_unavailable') : settled.outcome;
  } catch (error) {
    return refund(input, codeOfFault(error));
  }
}

/** Refunds, unless the hold row has decided otherwise. A cancellation does not interrupt it. */
export async function refund(input: InvocationWorkflowInput, code: ErrorCode): Promise<InvocationOutcome> {
  return CancellationScope.nonCancellable(async () => {
    const refunded = await money.refund(input.invocationId, code);
    return refunded.outcome;
  });
}

/** The buyer's error code for a fault of a step: owner lost, deadline exceeded, cancelled by an operator, or internal. */
export function codeOfFault(error: unknown): ErrorCode {
  if (isCancellation(error)) return 'engine_unavailable';
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof TimeoutFailure)) return 'internal_error';
  return cause.timeoutType === 'SCHEDULE_TO_START' ? 'engine_unavailable' : 'agent_timeout';
}

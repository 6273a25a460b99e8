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
import { type Due, type Fault, drive, type Next, type StepsAt } from '../domain/calls/course';
import type { InvocationOutcome, InvocationWorkflowInput } from '../domain/calls/invocation-steps';

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

/**
 * Leads a call on by ordinary activities in the owner's process, from a step that this process could not do. When that
 * process is gone, the call is refunded. A call that has its answer is settled, whatever cancels it.
 */
export function atOwner(input: InvocationWorkflowInput, due: Due): Promise<Next> {
  if (due.step === 'forward') return drive(ownerSteps(input), due);
  return CancellationScope.nonCancellable(() => drive(ownerSteps(input), due));
}

function ownerSteps({ invocationId, ownerQueue, timeoutMs }: InvocationWorkflowInput): StepsAt {
  const owner = proxyActivities<OwnerActivities>({
    taskQueue: ownerQueue,
    scheduleToStartTimeout: OWNER_PATIENCE,
    startToCloseTimeout: timeoutMs + FORWARD_MARGIN_MS,
    retry: FORWARD_RETRY,
  });
  return {
    hold: () => Promise.reject(new Error('the owner places no hold for a workflow')),
    forward: () => owner.forwardCall(invocationId).catch(faultOf),
    validate: () => owner.validateOutput(invocationId).catch(faultOf),
    settle: () => owner.settle(invocationId).catch(faultOf),
  };
}

/** Refunds, unless the hold row has decided otherwise. A cancellation does not interrupt it. */
export async function refund(input: InvocationWorkflowInput, code: ErrorCode): Promise<InvocationOutcome> {
  return CancellationScope.nonCancellable(async () => {
    const refunded = await money.refund(input.invocationId, code);
    return refunded.outcome;
  });
}

/** The code of the refund that ends a call. No step is due anywhere else by then. */
export function codeOf(end: Exclude<Next, { kind: 'done' }>): ErrorCode {
  return end.kind === 'refund' ? end.code : 'engine_unavailable';
}

/**
 * A fault of a step with the buyer's error code: owner lost, deadline exceeded, cancelled by an operator, or internal.
 */
export function faultOf(error: unknown): Fault {
  return { kind: 'fault', code: codeOfFault(error) };
}

function codeOfFault(error: unknown): ErrorCode {
  if (isCancellation(error)) return 'engine_unavailable';
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof TimeoutFailure)) return 'internal_error';
  return cause.timeoutType === 'SCHEDULE_TO_START' ? 'engine_unavailable' : 'agent_timeout';
}

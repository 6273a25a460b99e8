/**
 * One call of an agent (specification, "Invocation and escrow"): hold the price, forward the call, validate the
 * answer, settle or refund. The four steps are local activities in the process that accepted the call, because the
 * body and the caller's socket live there. When the task moved to another process, forward, validate and settle run
 * as ordinary activities on the queue that only the owner polls; when nobody polls it any more, the owner is gone
 * and the buyer is refunded.
 *
 * The hold row decides, for everyone, always: each step reads it first, and this workflow only follows.
 */
import {
  ActivityFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  TimeoutFailure,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { ErrorCode } from '../domain/errors';
import type {
  ForwardStep,
  InvocationOutcome,
  InvocationWorkflowInput,
  ValidateStep,
} from '../domain/invocation-steps';
import type { InvocationActivities } from '../activities/invocation';
import { carryOutTask } from './task-call';

/** Postgres may be away for a while: a money step is retried until it has an answer. */
const MONEY_STEP = {
  startToCloseTimeout: '10s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s' },
} as const;
const FORWARD_MARGIN_MS = 10_000;
const FORWARD_RETRY = { initialInterval: '100ms', maximumInterval: '1s', maximumAttempts: 5 } as const;
const VALIDATE_STEP = {
  startToCloseTimeout: '30s',
  retry: { maximumAttempts: 3, initialInterval: '100ms' },
} as const;
/** How long a task may wait on the owner's queue before the owner counts as gone. */
const OWNER_PATIENCE = '3s';

const money = proxyLocalActivities<InvocationActivities>(MONEY_STEP);
const validation = proxyLocalActivities<InvocationActivities>(VALIDATE_STEP);

export async function invocation(input: InvocationWorkflowInput): Promise<InvocationOutcome> {
  const outcome = input.mode === 'task' ? await carryOutTask(input) : await run(input);
  if (outcome.status !== 'succeeded') upsertSearchAttributes({ Outcome: [outcome.code ?? outcome.status] });
  return outcome;
}

async function run(input: InvocationWorkflowInput): Promise<InvocationOutcome> {
  const held = await CancellationScope.nonCancellable(() => money.holdCredits(input.invocationId));
  if (held.kind === 'resolved') return held.outcome;
  const forwarded = await forward(input);
  if (forwarded.kind === 'resolved') return forwarded.outcome;
  if (forwarded.kind === 'failed') return refund(input, forwarded.code);
  if (forwarded.kind === 'elsewhere') return atOwner(input, ['forward', 'validate', 'settle']);
  return CancellationScope.nonCancellable(() => finish(input));
}

async function forward(input: InvocationWorkflowInput): Promise<ForwardStep> {
  const step = proxyLocalActivities<InvocationActivities>({
    startToCloseTimeout: input.timeoutMs + FORWARD_MARGIN_MS,
    retry: FORWARD_RETRY,
  });
  try {
    return await step.forwardCall(input.invocationId);
  } catch (error) {
    return { kind: 'failed', code: codeOfFault(error), durationMs: 0 };
  }
}

/** Validate and settle here, or at the owner when this process does not hold the answer. */
async function finish(input: InvocationWorkflowInput): Promise<InvocationOutcome> {
  const validated = await validate(input);
  if (validated.kind === 'failed') return refund(input, validated.code);
  if (validated.kind === 'elsewhere') return atOwner(input, ['validate', 'settle']);
  const settled = await money.settle(input.invocationId);
  if (settled.kind === 'elsewhere') return atOwner(input, ['settle']);
  return settled.outcome;
}

async function validate(input: InvocationWorkflowInput): Promise<ValidateStep> {
  try {
    return await validation.validateOutput(input.invocationId);
  } catch {
    return { kind: 'failed', code: 'internal_error' };
  }
}

type OwnerStep = 'forward' | 'validate' | 'settle';

/** The remaining steps as ordinary activities in the owner's process; a refund when it is gone. */
async function atOwner(input: InvocationWorkflowInput, steps: OwnerStep[]): Promise<InvocationOutcome> {
  const owner = proxyActivities<InvocationActivities>({
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
      if (forwarded.kind === 'elsewhere') return await refund(input, 'engine_unavailable');
    }
    if (steps.includes('validate')) {
      const validated = await owner.validateOutput(input.invocationId);
      if (validated.kind === 'failed') return await refund(input, validated.code);
      if (validated.kind === 'elsewhere') return await refund(input, 'engine_unavailable');
    }
    const settled = await owner.settle(input.invocationId);
    return settled.kind === 'elsewhere' ? await refund(input, 'engine_unavailable') : settled.outcome;
  } catch (error) {
    return refund(input, codeOfFault(error));
  }
}

/** Refunds unless the hold row has decided otherwise; never cancelled. */
async function refund(input: InvocationWorkflowInput, code: ErrorCode): Promise<InvocationOutcome> {
  return CancellationScope.nonCancellable(async () => {
    const refunded = await money.refund(input.invocationId, code);
    return refunded.outcome;
  });
}

/** Which code a step's fault means for the buyer: lost owner, overrun deadline, cancelled by an operator, or ours. */
function codeOfFault(error: unknown): ErrorCode {
  if (isCancellation(error)) return 'engine_unavailable';
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof TimeoutFailure)) return 'internal_error';
  return cause.timeoutType === 'SCHEDULE_TO_START' ? 'engine_unavailable' : 'agent_timeout';
}

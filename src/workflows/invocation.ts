/**
 * One call of an agent (specification, "Invocation and escrow"): hold the price, forward the call, validate the
 * answer, settle or refund. The four steps are local activities in the process that accepted the call, because the
 * body and the caller's socket live there. When the task moved to another process, forward, validate and settle run
 * as ordinary activities on the queue that only the owner polls; when nobody polls it any more, the owner is gone
 * and the buyer is refunded.
 *
 * The hold row decides, for everyone, always: each step reads it first, and this workflow only follows.
 */
import { CancellationScope, proxyLocalActivities, upsertSearchAttributes } from '@temporalio/workflow';
import {
  type ForwardStep,
  type HoldStep,
  type InvocationOutcome,
  type InvocationWorkflowInput,
  isUndone,
  type SettleStep,
  type ValidateStep,
} from '../domain/calls/invocation-steps';
import type { InvocationActivities } from '../activities/invocation';
import {
  atOwner,
  codeOfFault,
  FORWARD_MARGIN_MS,
  FORWARD_RETRY,
  MONEY_STEP,
  refund,
} from './invocation-endings';
import { carryOutTask } from './task-call';

const VALIDATE_STEP = {
  startToCloseTimeout: '30s',
  retry: { maximumAttempts: 3, initialInterval: '100ms' },
} as const;
/** Waits for the validation. */
const SETTLE_STEP = { ...MONEY_STEP, startToCloseTimeout: '120s' } as const;

const money = proxyLocalActivities<InvocationActivities>(MONEY_STEP);
const settling = proxyLocalActivities<InvocationActivities>(SETTLE_STEP);
const validation = proxyLocalActivities<InvocationActivities>(VALIDATE_STEP);

export async function invocation(input: InvocationWorkflowInput): Promise<InvocationOutcome> {
  const outcome = input.mode === 'task' ? await carryOutTask(input) : await run(input);
  if (outcome.status !== 'succeeded') upsertSearchAttributes({ Outcome: [outcome.code ?? outcome.status] });
  return outcome;
}

async function run(input: InvocationWorkflowInput): Promise<InvocationOutcome> {
  const steps = input.inTurn ? inPairs(input) : oneByOne(input);
  const held = await steps.held();
  if (held.kind === 'resolved') return held.outcome;
  const forwarded = await steps.forwarded().catch(failedForward);
  if (forwarded.kind === 'resolved') return forwarded.outcome;
  if (forwarded.kind === 'failed') return refund(input, forwarded.code);
  if (isUndone(forwarded)) return atOwner(input, ['forward', 'validate', 'settle']);
  return CancellationScope.nonCancellable(() => finish(input, steps));
}

/** Validate and settle here, or at the owner when this process does not hold the answer. */
async function finish(input: InvocationWorkflowInput, steps: Steps): Promise<InvocationOutcome> {
  const validated = await steps.validated().catch(failedValidation);
  if (validated.kind === 'failed') return refund(input, validated.code);
  if (isUndone(validated)) return atOwner(input, ['validate', 'settle']);
  const settled = await steps.settled();
  if (isUndone(settled)) return atOwner(input, ['settle']);
  return settled.outcome;
}

/** How each step ended. */
interface Steps {
  held(): Promise<HoldStep>;
  forwarded(): Promise<ForwardStep>;
  validated(): Promise<ValidateStep>;
  settled(): Promise<SettleStep>;
}

/** Each step begins when it is asked for. */
function oneByOne({ invocationId, timeoutMs }: InvocationWorkflowInput): Steps {
  const forwarding = forwardingSteps(timeoutMs);
  return {
    held: () => kept(() => money.holdCredits(invocationId)),
    forwarded: () => forwarding.forwardCall(invocationId),
    validated: () => validation.validateOutput(invocationId),
    settled: () => money.settle(invocationId),
  };
}

/**
 * In two pairs: hold and forward begin now, validate and settle when there is an answer. The second of a pair waits for
 * the first in the process, so that nothing comes back here between them.
 */
function inPairs({ invocationId, timeoutMs }: InvocationWorkflowInput): Steps {
  const held = kept(() => money.holdCredits(invocationId, true));
  const forwarded = forwardingSteps(timeoutMs).forwardCall(invocationId, true);
  let settled: Promise<SettleStep> | undefined;
  heard(held, forwarded);
  return {
    held: () => held,
    forwarded: () => forwarded,
    validated() {
      const validated = validation.validateOutput(invocationId, true);
      settled = settling.settle(invocationId, true);
      heard(validated, settled);
      return validated;
    },
    settled: () => settled ?? settling.settle(invocationId),
  };
}

/** A step that fails before it is asked for is no failure of the workflow. */
function heard(...steps: Promise<unknown>[]): void {
  for (const step of steps) step.catch(() => undefined);
}

/** A step that a cancellation does not reach. */
function kept<S>(step: () => Promise<S>): Promise<S> {
  return CancellationScope.nonCancellable(step);
}

function forwardingSteps(timeoutMs: number) {
  return proxyLocalActivities<InvocationActivities>({
    startToCloseTimeout: timeoutMs + FORWARD_MARGIN_MS,
    retry: FORWARD_RETRY,
  });
}

function failedForward(error: unknown): ForwardStep {
  return { kind: 'failed', code: codeOfFault(error), durationMs: 0 };
}

function failedValidation(): ValidateStep {
  return { kind: 'failed', code: 'internal_error' };
}

/**
 * One call of an agent (specification, "Invocation and escrow"): hold the price, forward the call, validate the
 * answer, settle or refund. The four steps are local activities in the process that accepted the call (the owner),
 * because the body and the caller's socket are there. When the workflow task moves to another process, forward, validate
 * and settle run as ordinary activities on the queue that only the owner polls. When no process polls that queue, the
 * owner is gone and the buyer is refunded.
 *
 * The hold row decides: each step reads it first, and this workflow follows its answer.
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
import { callDetails } from './call-details';
import { show } from './details';
import { carryOutTask } from './task-call';

const VALIDATE_STEP = {
  startToCloseTimeout: '30s',
  retry: { maximumAttempts: 3, initialInterval: '100ms' },
} as const;
/** Longer than a money step, because it waits for the validation. */
const SETTLE_STEP = { ...MONEY_STEP, startToCloseTimeout: '120s' } as const;

const money = proxyLocalActivities<InvocationActivities>(MONEY_STEP);
const settling = proxyLocalActivities<InvocationActivities>(SETTLE_STEP);
const validation = proxyLocalActivities<InvocationActivities>(VALIDATE_STEP);

export async function invocation(input: InvocationWorkflowInput): Promise<InvocationOutcome> {
  show(callDetails(input));
  const outcome = input.mode === 'task' ? await carryOutTask(input) : await run(input);
  show(callDetails(input, outcome));
  if (outcome.status !== 'succeeded') upsertSearchAttributes({ Outcome: [outcome.code ?? outcome.status] });
  return outcome;
}

async function run(input: InvocationWorkflowInput): Promise<InvocationOutcome> {
  const steps = startSteps(input);
  const held = await steps.held;
  if (held.kind === 'resolved') return held.outcome;
  const forwarded = await steps.forwarded.catch(failedForward);
  if (forwarded.kind === 'resolved') return forwarded.outcome;
  if (forwarded.kind === 'failed') return refund(input, forwarded.code);
  if (isUndone(forwarded)) return atOwner(input, ['forward', 'validate', 'settle']);
  return CancellationScope.nonCancellable(() => finish(input, steps));
}

/** Validates and settles here, or in the owner's process when this process does not hold the answer. */
async function finish(input: InvocationWorkflowInput, steps: Steps): Promise<InvocationOutcome> {
  const { validated: validating, settled: settlement } = steps.validateAndSettle();
  const validated = await validating.catch(failedValidation);
  if (validated.kind === 'failed') return refund(input, validated.code);
  if (isUndone(validated)) return atOwner(input, ['validate', 'settle']);
  const settled = await settlement;
  if (isUndone(settled)) return atOwner(input, ['settle']);
  return settled.outcome;
}

/** The results of the steps that run in this process. */
interface Steps {
  held: Promise<HoldStep>;
  forwarded: Promise<ForwardStep>;
  validateAndSettle(): { validated: Promise<ValidateStep>; settled: Promise<SettleStep> };
}

/**
 * Starts the steps in two pairs: hold and forward now, validate and settle when there is an answer. The second of a pair
 * waits for the first in the process, so no workflow task is needed between them
 * (docs/internals/temporal.md#steps-in-pairs). A hold that was begun is finished, whatever cancels the call.
 */
function startSteps({ invocationId, timeoutMs }: InvocationWorkflowInput): Steps {
  const held = CancellationScope.nonCancellable(() => money.holdCredits(invocationId));
  const forwarded = forwardingSteps(timeoutMs).forwardCall(invocationId);
  ignoreUnawaited(held, forwarded);
  return {
    held,
    forwarded,
    validateAndSettle() {
      const validated = validation.validateOutput(invocationId);
      const settled = settling.settle(invocationId);
      ignoreUnawaited(validated, settled);
      return { validated, settled };
    },
  };
}

/** A step that fails before the workflow awaits it must not fail the workflow. */
function ignoreUnawaited(...steps: Promise<unknown>[]): void {
  for (const step of steps) step.catch(() => undefined);
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

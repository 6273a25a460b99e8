/**
 * One call of an agent (specification, "Invocation and escrow"): hold the price, forward the call, validate the answer,
 * settle or refund. The four steps are local activities in the process that accepted the call (the owner), because the
 * body and the caller's socket are there. When the workflow task moves to another process, forward, validate and settle
 * run as ordinary activities on the queue that only the owner polls. When no process polls that queue, the owner is
 * gone and the buyer is refunded.
 *
 * The hold row decides: each step reads it first, and this workflow follows its answer.
 */
import { CancellationScope, proxyLocalActivities, upsertSearchAttributes } from '@temporalio/workflow';
import { type Fault, drive, type StepsAt } from '../domain/calls/course';
import type {
  InvocationOutcome,
  InvocationWorkflowInput,
  SettleStep,
} from '../domain/calls/invocation-steps';
import type { InvocationActivities } from '../activities/invocation';
import {
  atOwner,
  codeOf,
  faultOf,
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

/**
 * Hold → forward → validate → settle | refund (`domain/calls/course.ts`), here as far as this process holds the call.
 */
async function run(input: InvocationWorkflowInput): Promise<InvocationOutcome> {
  const here = await drive(stepsHere(input), { step: 'hold', at: 'here' });
  const end = here.kind === 'step' ? await atOwner(input, here) : here;
  return end.kind === 'done' ? end.outcome : refund(input, codeOf(end));
}

/**
 * The steps in this process. They start in two pairs: hold and forward now, validate and settle when there is an
 * answer. The second of a pair waits for the first in the process, so no workflow task is needed between them
 * (docs/internals/temporal.md#steps-in-pairs). A hold that was begun is finished, and an answer is settled, whatever
 * cancels the call.
 */
function stepsHere({ invocationId, timeoutMs }: InvocationWorkflowInput): StepsAt {
  const held = CancellationScope.nonCancellable(() => money.holdCredits(invocationId));
  const forwarded = forwarding(timeoutMs).forwardCall(invocationId);
  let settled: Promise<SettleStep> | undefined;
  ignoreUnawaited(held, forwarded);
  return {
    hold: () => held,
    forward: () => forwarded.catch(faultOf),
    validate: () =>
      CancellationScope.nonCancellable(() => {
        const validated = validation.validateOutput(invocationId);
        settled = settling.settle(invocationId);
        ignoreUnawaited(validated, settled);
        return validated.catch((): Fault => ({ kind: 'fault', code: 'internal_error' }));
      }),
    settle: () => settled ?? settling.settle(invocationId),
  };
}

/** A step that fails before the workflow awaits it must not fail the workflow. */
function ignoreUnawaited(...steps: Promise<unknown>[]): void {
  for (const step of steps) step.catch(() => undefined);
}

function forwarding(timeoutMs: number) {
  return proxyLocalActivities<InvocationActivities>({
    startToCloseTimeout: timeoutMs + FORWARD_MARGIN_MS,
    retry: FORWARD_RETRY,
  });
}

/**
 * The steps of a call (docs/life-of-a-call.md). The hold row decides: each step reads it first, acts only if the row
 * allows it, and reports the decision to the caller in this process. A step that needs the body in a process that does
 * not hold it returns `elsewhere` and does nothing.
 */
import type { ErrorCode } from '../../domain/errors';
import type { HoldStep, InvocationOutcome, SettleStep, Undone } from '../../domain/calls/invocation-steps';
import { newPairTerms } from '../../domain/payouts/new-pair';
import { creditsToUnits } from '../../domain/ledger/money';
import type { Cipher } from '../../kit/crypto/cipher';
import { timeOfId } from '../../domain/instant';
import { forwardAttributes, traceSteps } from '../../kit/tracing';
import type { Logger } from '../../logger';
import {
  holdAndPermit,
  holdInvocations,
  refundFailed,
  refundInvocations,
} from '../../stores/calls/invocations';
import type { CallBatches, CallState } from '../../stores/calls/call-batches';
import type { FailureRecord } from '../../stores/calls/call-failures';
import { isTested } from './answers/acceptance';
import { createAgentSteps, leaseMs, type AgentStepsDeps } from './agent/agent-steps';
import { packAnswer } from './agent/answer-format';
import type { CallFailure, CallOutput, CallUsage, InFlightCall, InFlightCalls } from './agent/in-flight';
import { quotaOf, type StoredQuotas } from './stored-room';
import { createStepsInTurn } from './steps-in-turn';

/** A hold that is not forwarded within this time is swept. */
const HOLD_LEASE_MS = 30_000;
const ANSWER_TTL_MS = 24 * 3_600_000;
const ANSWER_TTL_WITHOUT_RETENTION_MS = 3_600_000;

export interface InvocationStepsDeps extends AgentStepsDeps {
  registry: InFlightCalls;
  cipher: Cipher;
  batches: Pick<CallBatches, 'settle'>;
  quotas: StoredQuotas;
  /** Earnings mature when the dispute window ends, in ms. */
  disputeWindowMs: number;
  /** Time after which earnings from new buyers mature for a developer who was never paid, in ms (PAYOUT_RESERVE_MS). */
  reserveMs: number;
  logger: Logger;
}

export type InvocationSteps = ReturnType<typeof createInvocationSteps>;

export function createInvocationSteps(deps: InvocationStepsDeps) {
  const { pool, registry } = deps;

  const conclude = (invocationId: string, state: CallState) => end(registry.find(invocationId), state);

  async function hold(invocationId: string, untilForwardedMs = HOLD_LEASE_MS): Promise<HoldStep> {
    const [state] = await holdInvocations(pool, [invocationId], untilForwardedMs);
    if (!state) throw new Error(`no invocation ${invocationId}`);
    return state.held ? { kind: 'held' } : { kind: 'resolved', outcome: conclude(invocationId, state) };
  }

  /** Places the hold and requests the permit in one statement. Used by the process that forwards the call. */
  async function holdToForward(call: InFlightCall): Promise<HoldStep> {
    const state = await holdAndPermit(pool, call.invocationId, leaseMs(call));
    if (!state.held) return { kind: 'resolved', outcome: end(call, state) };
    if (state.permit === 'granted') call.permittedAtMs = Date.now();
    return { kind: 'held' };
  }

  async function settle(call: InFlightCall): Promise<SettleStep> {
    const { invocationId, usage, output, outputSha256 } = call;
    if (!output || !usage || outputSha256 === null) return { kind: 'elsewhere' };
    const state = await deps.batches.settle(call.buyerUserId, {
      invocation_id: invocationId,
      ...usageColumns(usage),
      ...outputColumns(output, outputSha256),
      ...(call.acceptance && isTested(output) && { accepted: true as const }),
      matures_after_ms: deps.disputeWindowMs,
      ...newPairTerms({ since: timeOfId(call.buyerUserId), now: Date.now() }, deps),
      ...(await sealAnswer(deps, call, output)),
    });
    if (state.status === 'succeeded') await deps.bodies.output(call, output);
    const outcome = end(call, state);
    if (outcome.status !== 'succeeded') return { kind: 'resolved', outcome };
    return { kind: 'settled', outcome, chargedCredits: usage.chargedCredits };
  }

  async function refund(invocationId: string, code: ErrorCode): Promise<{ outcome: InvocationOutcome }> {
    // Postgres reports the end, and the call leaves the process, before the statement below returns.
    const call = registry.find(invocationId);
    const durationMs = call?.durationMs ?? null;
    const item = { invocation_id: invocationId, error_code: code, duration_ms: durationMs };
    const failure = await sealFailure(deps, call);
    const [state] = await (failure ? refundFailed(pool, item, failure) : refundInvocations(pool, [item]));
    if (!state) throw new Error(`no invocation ${invocationId}`);
    const outcome = conclude(invocationId, state);
    deps.logger.info({ invocationId, code, outcome: outcome.status }, 'call did not succeed');
    return { outcome };
  }

  const ofRow = traceSteps({ hold, refund }, callTraces(registry));
  const { reviewOf, ...agent } = createAgentSteps(deps, end);
  const ofCall = traceSteps({ holdToForward, ...agent, settle }, traceOf);
  return {
    ...ofRow,
    accept: ofCall.accept,
    reviewOf,
    forward: byId(registry, ofCall.forward),
    validate: byId(registry, ofCall.validate),
    settle: byId(registry, ofCall.settle),
    inTurn: createStepsInTurn({ hold: ofRow.hold, ...ofCall }, registry),
    conclude,
  };
}

/** Ends the call of the caller waiting in this process, and returns the outcome for the workflow. */
function end(call: InFlightCall | undefined, state: CallState): InvocationOutcome {
  const outcome = toOutcome(state);
  if (call?.output && call.usage && outcome.status === 'succeeded') {
    call.finish({ ok: true, output: call.output, usage: call.usage });
  } else if (call) {
    call.finish(failureOf(call, outcome));
  }
  return outcome;
}

/** What the caller of a call that did not succeed gets, with the agent's own words if it refused the request. */
function failureOf({ failure }: InFlightCall, { code = 'internal_error' }: InvocationOutcome): CallFailure {
  if (code === 'acceptance_failed' && failure?.problem)
    return {
      ok: false,
      code,
      message: `The answer fails a test of the call: ${failure.problem}. Nothing was charged.`,
    };
  const words = code === 'agent_error' || code === 'acceptance_declined' ? failure?.words : undefined;
  return { ok: false, code, ...(words && { agentMessage: words }) };
}

/** What is known about a failed call, to be stored. The refund is done in any case, so a fault here is only logged. */
async function sealFailure(
  { cipher, logger }: Pick<InvocationStepsDeps, 'cipher' | 'logger'>,
  call: InFlightCall | undefined,
): Promise<FailureRecord | undefined> {
  if (!call?.failure) return undefined;
  const { invocationId } = call;
  const { words, ...facts } = call.failure;
  try {
    const sealed = words === null ? null : await cipher.seal(Buffer.from(words), answerContext(invocationId));
    return { ...facts, invocationId, words: sealed && { sealed, ttlMs: answerTtlMs(call) } };
  } catch (error) {
    logger.warn({ err: error, invocationId }, 'the facts of a failed call are not stored');
    return undefined;
  }
}

/** Runs a step of a call that is named by its id. Does nothing in a process that does not hold the call. */
const byId =
  <S>(registry: InFlightCalls, step: (call: InFlightCall) => Promise<S>) =>
  async (invocationId: string): Promise<S | Undone> => {
    const call = registry.find(invocationId);
    return call ? step(call) : { kind: 'elsewhere' };
  };

/** The trace of a step whose first argument is a call. */
function traceOf(argument: unknown) {
  const { traceId, invocationId, version } = argument as InFlightCall;
  return { traceId, parent: invocationId, ofForward: forwardAttributes(version) };
}

/** Finds the trace of a step whose first argument is the id of a call that this process holds. */
function callTraces(registry: InFlightCalls) {
  return (argument: unknown) => {
    const call = registry.find(argument as string);
    return call && traceOf(call);
  };
}

function usageColumns({ tokensIn, tokensOut, durationMs, chargedCredits }: CallUsage) {
  return {
    charged_units: creditsToUnits(chargedCredits),
    tokens_in: tokensIn,
    tokens_out: tokensOut,
    duration_ms: durationMs,
  };
}

function outputColumns({ json, plain, truncatedBy }: CallOutput, sha256: string) {
  const bytes = plain?.bytes ?? json.length;
  return { output_sha256: sha256, output_bytes: bytes, truncated_by: truncatedBy };
}

/**
 * Encrypts the answer if it must be stored: for replays of a call with an idempotency key, or for a caller that has
 * disconnected and may read it by id, also after it has left a stream. It is stored for 24 h, or 1 h if the agent has
 * zero retention. The answer of a task, and of a call whose caller did not wait, is stored for its polling client as
 * long as the agent retains data, at least 24 h, and whatever else the buyer has stored: its quota was checked when the
 * call was accepted. Any other answer is stored only below the quota.
 */
async function sealAnswer(
  { cipher, quotas }: Pick<InvocationStepsDeps, 'cipher' | 'quotas'>,
  call: InFlightCall,
  output: CallOutput,
) {
  const hasLeft = call.gone?.aborted || output.truncatedBy === 'client_closed';
  if (!call.keyed && !call.detached && !hasLeft)
    return { answer: null, answer_ttl_ms: 0, answer_quota: null };
  const sealed = await cipher.seal(packAnswer(output), answerContext(call.invocationId));
  const ttl = answerTtlMs(call);
  const quota = call.task || call.detached ? null : quotaOf(quotas, call.priceUnits === 0);
  return { answer: sealed, answer_ttl_ms: ttl, answer_quota: quota };
}

function answerTtlMs({ task, detached, version }: InFlightCall): number {
  if (task || detached) return Math.max(version.retentionDays, 1) * ANSWER_TTL_MS;
  return version.retentionDays === 0 ? ANSWER_TTL_WITHOUT_RETENTION_MS : ANSWER_TTL_MS;
}

export function answerContext(invocationId: string): Record<string, string> {
  return { purpose: 'invocation-answer', invocation_id: invocationId };
}

function toOutcome(state: CallState): InvocationOutcome {
  if (state.status === 'succeeded') return { status: 'succeeded' };
  if (state.status === 'disputed') return { status: 'disputed', code: 'already_disputed' };
  return { status: 'failed', code: state.errorCode ?? 'internal_error' };
}

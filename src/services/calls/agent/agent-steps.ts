/**
 * The two steps of a call that need its body: forwarding it to the agent, with retries, and validating and measuring
 * the answer.
 */
import { schemaFacts, unansweredFacts } from '../../../domain/calls/failure-facts';
import { pauseBeforeAsking } from '../../../domain/jobs/job-taken';
import { type FieldProblem, MarketError } from '../../../domain/errors';
import { creditsToUnits } from '../../../domain/ledger/money';
import type {
  ForwardStep,
  InvocationOutcome,
  ValidateStep,
  WaitStep,
} from '../../../domain/calls/invocation-steps';
import type { Cipher } from '../../../kit/crypto/cipher';
import type { SchemaPool } from '../../../kit/schemas/schema-pool';
import { type DbPool, whileAway } from '../../../stores/db';
import { permitDelivery, permitForward } from '../../../stores/calls/invocations';
import type { CallState } from '../../../stores/calls/call-batches';
import { hasCalledBack } from '../../../stores/jobs/job-callbacks';
import { asDeclined, declinesBy, testAnswer } from '../answers/acceptance';
import type { AnswerReview } from '../answers/answer-task';
import type { AnswerThreads } from '../answers/answer-threads';
import type { AgentAnswer, TakenAnswer } from './agent-answer';
import { callWithAttempts } from './agent-attempts';
import type { AgentCaller } from './agent-caller';
import type { BodyKeeper } from './body-keeper';
import { storeJob } from './job-acceptance';
import type { CallPace, CallTallies } from './call-statistics';
import { truncatedOutput } from './agent-streamer';
import { createDelivery } from './delivery';
import type { CallOutput, CallUsage, InFlightCall } from './in-flight';
import { type Metering, sampleBytesOf } from './metering';
import { isUnusableSecret } from '../../catalogue/upstream-credentials';

/** How long a hold stays open after the agent's deadline before it is swept. */
const LEASE_MARGIN_MS = 30_000;
/** The same for a task that another worker may repeat. */
const REPEATABLE_TASK_LEASE_MARGIN_MS = 3_600_000;

/** How long a permit from the hold step is valid. The lease that came with it lasts longer by this time. */
const PERMIT_MS = LEASE_MARGIN_MS / 2;

/** How long it may take to cancel a job whose call has ended before it was accepted. */
const CANCEL_MS = 10_000;
const NOTHING = Buffer.alloc(0);

/** What the lease of a call depends on. */
export type LeaseTerms = Pick<InFlightCall, 'version' | 'keyed' | 'sink' | 'task'>;

const isRepeatable = ({ version, keyed, sink }: LeaseTerms): boolean =>
  version.idempotent && keyed && sink === null;

/** Lease of a call's hold in ms, from the time when the call is forwarded. */
export function leaseMs(call: LeaseTerms): number {
  const isLong = call.task && isRepeatable(call);
  return call.version.timeoutMs + (isLong ? REPEATABLE_TASK_LEASE_MARGIN_MS : LEASE_MARGIN_MS);
}

/** Takes the permit that came with the hold. It is valid once, and for a limited time. */
function usePermit(call: InFlightCall): boolean {
  const ageMs = call.permittedAtMs === null ? -1 : Date.now() - call.permittedAtMs;
  call.permittedAtMs = null;
  return ageMs >= 0 && ageMs <= PERMIT_MS;
}

export interface AgentStepsDeps {
  pool: DbPool;
  schemas: SchemaPool;
  agents: AgentCaller;
  metering: Metering;
  answerThreads: Pick<AnswerThreads, 'perform'>;
  pace: Pick<CallPace, 'note'>;
  tallies: Pick<CallTallies, 'note'>;
  bodies: BodyKeeper;
  cipher: Pick<Cipher, 'seal'>;
}

/** An agent whose secrets cannot be used is not called; for its buyers it is unreachable. */
export function asUnreachable(error: unknown): AgentAnswer {
  if (!isUnusableSecret(error)) throw error;
  return { ok: false, code: 'agent_unreachable', durationMs: 0, delivered: false };
}

/**
 * Marks the call as being delivered. Retries while Postgres is unreachable, because nothing may be delivered without
 * the mark. Throws `engine_unavailable` when the call was decided before, e.g. by a dispute.
 */
async function allowDelivery(pool: DbPool, call: InFlightCall): Promise<void> {
  const isOver = () => call.ended.aborted || call.sink?.closed.aborted === true;
  const isPermitted = await whileAway(isOver, () => permitDelivery(pool, call.invocationId));
  if (!isPermitted) throw new MarketError('engine_unavailable');
}

/** The usage of an answer above the ceiling that was delivered in pieces: it counts as truncated by the ceiling. */
async function measureDelivered(
  { metering, answerThreads }: Pick<AgentStepsDeps, 'metering' | 'answerThreads'>,
  call: InFlightCall,
): Promise<CallUsage | undefined> {
  const text = call.delivery?.text();
  if (!text) return undefined;
  call.output = await truncatedOutput(text, 'ceiling', (task, source) =>
    answerThreads.perform(call.version.developerUserId, task, source),
  );
  return metering.measure(call, call.output);
}

type Refusal = Extract<AgentAnswer, { ok: false }>;

/** The result of a call that got no answer. Its code is counted for the agent. */
function failed(tallies: AgentStepsDeps['tallies'], call: InFlightCall, refusal: Refusal): WaitStep {
  const { code, status, durationMs } = refusal;
  tallies.note(call, code, { status });
  call.failure = unansweredFacts(refusal);
  return { kind: 'failed', code, durationMs };
}

/** The result of a call whose answer does not match the output schema. */
function mismatched(
  tallies: AgentStepsDeps['tallies'],
  call: InFlightCall,
  { problem }: Mismatch,
): ValidateStep {
  tallies.note(call, 'output_schema_mismatch');
  call.failure = { phase: 'schema', status: 200, words: null, ...schemaFacts(problem) };
  return { kind: 'failed', code: 'output_schema_mismatch' };
}

/**
 * The result of a call that ended while its agent was called, which is why the agent was hung up on; undefined if the
 * call has not ended. A dispute has decided about the hold. Other ends are decided by the refund that follows.
 */
async function endedMeanwhile({ ended, done, durationMs }: InFlightCall): Promise<WaitStep | undefined> {
  if (!ended.aborted) return undefined;
  const result = await done;
  if (result.ok || result.isGivenUp) return { kind: 'failed', code: 'engine_unavailable', durationMs };
  const { code } = result;
  if (code === 'already_disputed') return { kind: 'resolved', outcome: { status: 'disputed', code } };
  return { kind: 'failed', code, durationMs };
}

/** Takes what the agent answered: its answer stays in this process until it is settled. */
async function acceptAnswer(
  deps: Pick<AgentStepsDeps, 'tallies' | 'metering'>,
  call: InFlightCall,
  answer: AgentAnswer,
): Promise<WaitStep> {
  call.durationMs = answer.durationMs;
  if (!answer.ok)
    return (await endedMeanwhile(call)) ?? failed(deps.tallies, call, asDeclined(call.acceptance, answer));
  if (call.acceptance && answer.isToolError && declinesBy(answer.json))
    return failed(deps.tallies, call, { ...answer, ok: false, code: 'acceptance_declined' });
  if (call.input) await deps.metering.countInput(call, call.input);
  call.input = null;
  const { json, sha256, plain, isToolError, truncatedBy, found } = answer;
  call.output = { json, sha256, plain, isToolError, truncatedBy, found };
  return { kind: 'answered', durationMs: answer.durationMs, bytes: json.length };
}

/**
 * The agent has accepted the call as a job: the call leaves this process. A job of a call that has ended is cancelled.
 */
async function becomeJob(
  deps: Pick<AgentStepsDeps, 'pool' | 'cipher' | 'agents'>,
  call: InFlightCall,
  taken: TakenAnswer,
): Promise<ForwardStep> {
  const { durationMs, location } = taken;
  if (await storeJob(deps, call, taken)) {
    call.finish({ ok: false, code: 'engine_unavailable', isGivenUp: true });
    return location === null
      ? { kind: 'taken' }
      : { kind: 'taken', askAfterMs: pauseBeforeAsking(0, taken.retryAfterMs) };
  }
  const request = { call, input: NOTHING, signal: AbortSignal.timeout(CANCEL_MS) };
  if (location !== null) void deps.agents.cancel(request, location).catch(() => undefined);
  return (await endedMeanwhile(call)) ?? { kind: 'failed', code: 'engine_unavailable', durationMs };
}

/**
 * An agent that has called back its end or a question has accepted the call, whatever became of its 202. Undefined if
 * it has not.
 */
async function takenByCallback(
  pool: DbPool,
  { version, task, ended, invocationId }: InFlightCall,
  { ok, durationMs }: AgentAnswer,
): Promise<TakenAnswer | undefined> {
  if (ok || !task || version.jobs === null || ended.aborted) return undefined;
  const isTaken = await whileAway(
    () => ended.aborted,
    () => hasCalledBack(pool, invocationId),
  );
  return isTaken ? { ok: 'taken', location: null, retryAfterMs: null, durationMs, status: 202 } : undefined;
}

type Version = InFlightCall['version'];

/** Identifies the schema of a version's answers permanently. */
const outputKey = ({ versionId }: Version) => `${versionId}:output`;

/** What the thread that reads a large answer of the call finds out about it. */
function reviewOf(schemas: Pick<SchemaPool, 'checkFor'>, call: InFlightCall): AnswerReview {
  const { version } = call;
  const { outputSchema } = version;
  const check = outputSchema === null ? null : schemas.checkFor(outputKey(version), outputSchema);
  return { check, sampleBytes: sampleBytesOf(call) };
}

/** The first problem of an answer, as far as it is known. */
interface Mismatch {
  problem: FieldProblem | undefined;
}

/** How an answer violates the output schema; undefined if it does not. */
async function mismatchOf(
  schemas: Pick<SchemaPool, 'validate'>,
  version: Version,
  { json, truncatedBy, found }: CallOutput,
): Promise<Mismatch | undefined> {
  if (version.outputSchema === null || truncatedBy || found?.matches === true) return undefined;
  if (found?.matches === false) return { problem: undefined };
  const verdict = await schemas.validate(outputKey(version), version.outputSchema, json);
  return verdict.valid ? undefined : { problem: verdict.problems[0] };
}

/** Requests the permit. Returns undefined if it is granted, else the result of the step. */
async function askPermit(
  pool: DbPool,
  call: InFlightCall,
  conclude: Conclude,
): Promise<ForwardStep | undefined> {
  const permission = await permitForward(pool, call.invocationId, leaseMs(call), isRepeatable(call));
  if (permission.permit === 'granted') return undefined;
  if (permission.permit !== 'resolved') return { kind: 'failed', code: 'engine_unavailable', durationMs: 0 };
  return { kind: 'resolved', outcome: conclude(call, permission) };
}

type Conclude = (call: InFlightCall, state: CallState) => InvocationOutcome;

export function createAgentSteps(deps: AgentStepsDeps, conclude: Conclude) {
  const { pool } = deps;

  /**
   * Forwards a call. After a timeout, Temporal repeats this step, here or through the owner's queue, while the first
   * run may still wait for the agent: the repetition joins the first run or returns its result. A fault (such as
   * Postgres being unreachable) is retried. The step ends when the call ends, for whatever reason.
   */
  function forward(call: InFlightCall): Promise<ForwardStep> {
    call.forwarding ??= forwardOnce(call).catch((fault: unknown) => {
      call.forwarding = null;
      throw fault;
    });
    return call.forwarding;
  }

  async function forwardOnce(call: InFlightCall): Promise<ForwardStep> {
    if (call.output) return { kind: 'answered', durationMs: call.durationMs, bytes: call.output.json.length };
    if (!call.input) return { kind: 'failed', code: 'engine_unavailable', durationMs: 0 };
    const refused = usePermit(call) ? undefined : await askPermit(pool, call, conclude);
    if (refused) return refused;
    call.delivery = call.sink && createDelivery(call.sink, () => allowDelivery(pool, call));
    const beside = [deps.metering.countInput(call, call.input), deps.bodies.input(call, call.input)];
    const review = () => reviewOf(deps.schemas, call);
    // Probes are sent at this age; what was begun above is a part of it.
    deps.pace.note(call);
    const calling = callWithAttempts(deps.agents, deps.metering, call, call.input, call.ended, review);
    const [answer] = await Promise.all([calling.catch(asUnreachable), ...beside]);
    const taken = answer.ok === 'taken' ? answer : await takenByCallback(pool, call, answer);
    if (taken) return becomeJob(deps, call, taken);
    return acceptAnswer(deps, call, answer as AgentAnswer);
  }

  async function validate(call: InFlightCall): Promise<ValidateStep> {
    if (!call.output) return { kind: 'elsewhere' };
    const [mismatch, metered] = await Promise.all([
      mismatchOf(deps.schemas, call.version, call.output),
      deps.metering.measure(call, call.output),
    ]);
    if (mismatch) return mismatched(deps.tallies, call, mismatch);
    const usage = metered ?? (await measureDelivered(deps, call));
    if (!usage) return { kind: 'failed', code: 'max_cost_exceeded' };
    const countFailed = () => deps.tallies.note(call, 'acceptance_failed', { isOfAgent: true });
    const unaccepted = await testAnswer(deps, call, call.output, countFailed);
    if (unaccepted) return unaccepted;
    deps.tallies.note(call, null, { units: creditsToUnits(usage.chargedCredits) });
    const unpaid = usage.chargedCredits > 0 ? await call.payment?.settle(call.invocationId) : undefined;
    if (unpaid) return { kind: 'failed', code: unpaid };
    call.usage = usage;
    call.outputSha256 = call.output.sha256;
    return { kind: 'valid', outputSha256: call.outputSha256 };
  }

  return {
    forward,
    validate,
    accept: (call: InFlightCall, answer: AgentAnswer) => acceptAnswer(deps, call, answer),
    reviewOf: (call: InFlightCall) => reviewOf(deps.schemas, call),
  };
}

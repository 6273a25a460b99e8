/**
 * The calls of a probe. They take the path of a buyer's call: the same process, envelope, connections, attempts and
 * deadline, and ids of the same age. Nothing on the wire shows who pays, so no account pays
 * (docs/adr/verification/0088-probes-travel-like-calls-of-buyers.md).
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { MarketError } from '../../../domain/errors';
import { pauseBeforeAsking } from '../../../domain/jobs/job-taken';
import { createUnpassed } from '../../../domain/jobs/unpassed';
import type { Egress } from '../../../egress/agent-call';
import { connectionCause, EgressError } from '../../../egress/egress-error';
import { newId, newTraceId } from '../../../kit/ids/ids';
import { randomNumbers } from '../../../kit/random-numbers';
import { timeOfId } from '../../../domain/instant';
import type { Cipher } from '../../../kit/crypto/cipher';
import type { DbPool } from '../../../stores/db';
import type { Throttle } from '../../../kit/concurrency/throttle';
import type { SchemaPool } from '../../../kit/schemas/schema-pool';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import type { ProbeAnswer } from '../../../verification/probes/conformance-probe';
import type { AnswerThread } from '../../../verification/probes/answer-thread';
import type { LiveCall, LiveDeps } from '../../../verification/probes/live-testing';
import type { LastCall } from '../../../verification/turns/run-turns';
import { toolsFound } from '../../../verification/probes/reachability-probe';
import type { AgentAnswer } from '../../calls/agent/agent-answer';
import { type AttemptedCall, callWithAttempts } from '../../calls/agent/agent-attempts';
import type { AgentCaller } from '../../calls/agent/agent-caller';
import type { OutgoingCall } from '../../calls/agent/agent-envelope';
import type { CallPace } from '../../calls/agent/call-statistics';
import { type ChunkSink, createDelivery } from '../../calls/agent/delivery';
import { answerOf, NO_ANSWER, withCardCheck } from './probe-answers';
import { createProbeJobs, type ProbeJobs } from '../../jobs/probe-jobs';

export interface ProbeCallsDeps {
  pool: DbPool;
  cipher: Pick<Cipher, 'unseal'>;
  agents: AgentCaller;
  egress: Pick<Egress, 'open'>;
  schemas: SchemaPool;
  pace: CallPace;
  throttle: Throttle;
  /** How long a failure may take to pass; a retry comes up to twice as late. */
  retryAfterMs: number;
  reader: Pick<AnswerThread, 'of'>;
}

export interface ProbeCallsOptions {
  signal: AbortSignal;
  /** Seed of the run's random numbers. */
  seed: number;
  /** True for a version that buyers call: probes are spaced like their calls. */
  isServing: boolean;
  /** True while agents of other developers wait for their turn. */
  isCrowded?(): boolean;
  /** The most requests of the stage; default: as many as its plan needs. */
  mostCalls?: number;
  /** When the last call of the run was sent, for the spacing of all its calls. */
  last?: LastCall;
}

/**
 * A stage that exceeds this time makes no further calls; the remaining checks are reported as not performed. The time
 * is shorter while agents of other developers wait, and ends when the answers take too much memory.
 */
const STAGE_BUDGET_MS = 10 * 60_000;
const CROWDED_BUDGET_MS = 2 * 60_000;
const MOST_HELD_BYTES = 128 * 1_048_576;
/** A step with a valid input calls at most twice, and the agents whose calls are counted declare no promises. */
const CALLS_OF_A_STEP = 2;
/** How long an agent has to stop a cancelled job, beyond the time that its jobs take. */
const LATE_MS = 2_000;
const MOST_LATE_MS = 20_000;
const LATE_LOOK_MS = 250;

/** The status by which an agent asks for a pause, and how often it gets one for a call. */
const TOO_MANY = 429;
const MOST_PAUSES = 3;

/** How late a timer may be. */
const TIMER_LATE_MS = 2;

/** Makes different streams of random numbers from one seed: none depends on how many another one took. */
const STREAMS = { attempts: 0x2f6e2b1, order: 0x5bd1e995, inputs: 0x1b873593 } as const;

const WITHOUT_METER = { streamMeter: () => null };

/** A sink that discards the pieces of a probe's answer. */
function discarding(): ChunkSink {
  return { write: () => Promise.resolve(), handed: () => 0, closed: new AbortController().signal };
}

/** Returns the functions that call a version. They throw only internal faults. */
export function createProbeCalls(deps: ProbeCallsDeps, version: ServingVersion, options: ProbeCallsOptions) {
  const startedAt = performance.now();
  const { signal, mostCalls = Infinity, last = { sentAt: startedAt } } = options;
  const random = randomNumbers(options.seed);
  let tools: readonly Record<string, unknown>[] | null = null;
  const unpassed = createUnpassed(version.jobs !== null);
  let heldBytes = 0;
  let begun = 0;
  let throttled = 0;
  const jobs = createProbeJobs(deps);

  const hasTime = () =>
    begun + CALLS_OF_A_STEP <= mostCalls &&
    heldBytes < MOST_HELD_BYTES &&
    performance.now() - startedAt < budgetMs(version, options);

  /** Resolves when the call is as old as a buyer's call is when it is sent. */
  async function newCall(key?: string) {
    await deps.throttle.turn(signal);
    begun += 1;
    const { acceptMs, forwardMs } = deps.pace.draw();
    const pauseMs = options.isServing ? deps.pace.pauseMs(version.agentId) : 0;
    const leftMs = last.sentAt + pauseMs - acceptMs - forwardMs - performance.now();
    if (leftMs > 0) await sleep(leftMs, undefined, { signal });
    const traceId = newTraceId();
    await untilAged(traceId, acceptMs, signal);
    const invocationId = key ?? newId('inv');
    await untilAged(key === undefined ? invocationId : newTraceId(), forwardMs, signal);
    last.sentAt = performance.now();
    const of = { invocationId, version, traceId, hops: 0, ofVerification: true as const };
    return { ...of, free: false, ceilingCredits: null };
  }

  const callAgent = withPauses(callOnce, { signal, hasTime, onPause: () => (throttled += 1) });

  async function callOnce(input: Buffer, { key, streams = false }: LiveCall = {}) {
    const delivery = streams ? createDelivery(discarding(), () => Promise.resolve()) : null;
    const call = { ...(await newCall(key)), delivery, task: true as const };
    const { answer, tries, durationMs, jobMs } = await answered(deps.agents, jobs, call, input, signal);
    if (answer.ok) heldBytes += answer.json.length;
    const known = {
      durationMs,
      invocationId: call.invocationId,
      tries,
      ...(jobMs !== undefined && { jobMs }),
    };
    return { ...answerOf(version, answer), ...known, ...pauseOf(answer) };
  }

  async function listTools(): Promise<ProbeAnswer> {
    const { answer, tools: listed } = await surveyed(deps.agents, await newCall(), { signal, unpassed });
    tools = listed ?? tools;
    return answer;
  }

  const live: LiveDeps = {
    call: version.kind === 'mcp' ? listTools : withCardCheck(deps, version, callAgent, signal),
    ...schemaChecks(deps.schemas, version),
    reader: deps.reader.of(version.developerUserId),
    tryCancelled: (input) => tryCancelled(deps.agents, jobs, newCall, input, signal),
    newKey: () => newId('inv'),
    random,
    drawn: (what) => streamOf(options, what),
    pause: () => sleep(deps.retryAfterMs * (1 + random()), undefined, { signal }),
    hasTime,
  };
  const pauses = () => (throttled > 0 ? { throttled } : {});
  const seen = { tools: () => tools, unpassed: unpassed.facts, jobs: () => jobs.facts(), pauses };
  return { ...live, callTool: callAgent, inputs: streamOf(options, 'inputs'), ...seen };
}

const pauseOf = (answer: AgentAnswer) => (answer.ok ? {} : { retryAfterMs: answer.retryAfterMs });

type OneAnswer = ProbeAnswer & { streamed?: boolean; retryAfterMs?: number | undefined };

/** An agent that asks for a pause (429) gets it, and the same call again. */
function withPauses(
  callOnce: (input: Buffer, how?: LiveCall) => Promise<OneAnswer>,
  { signal, hasTime, onPause }: { signal: AbortSignal; hasTime(): boolean; onPause(): void },
): (input: Buffer, how?: LiveCall) => Promise<OneAnswer> {
  return async (input, how) => {
    for (let asked = 0; ; asked += 1) {
      const { retryAfterMs, ...answer } = await callOnce(input, how);
      if (answer.ok || answer.status !== TOO_MANY || asked === MOST_PAUSES || !hasTime()) return answer;
      onPause();
      await sleep(pauseBeforeAsking(asked, retryAfterMs ?? null), undefined, { signal });
    }
  };
}

/** Calls the agent with its attempts, and follows it if it takes the call as a job. */
async function answered(
  agents: Pick<AgentCaller, 'call'>,
  jobs: ProbeJobs,
  call: AttemptedCall,
  input: Buffer,
  signal: AbortSignal,
): Promise<{ answer: AgentAnswer; tries: number; durationMs: number; jobMs?: number }> {
  let tries = 0;
  const counted: Pick<AgentCaller, 'call'> = {
    call(...given) {
      tries += 1;
      return agents.call(...given);
    },
  };
  const mayBecomeJob = call.version.jobs !== null;
  if (mayBecomeJob) await jobs.begin({ call });
  const first = await callWithAttempts(counted, WITHOUT_METER, call, input, signal);
  const { durationMs } = first;
  if (first.ok === 'taken')
    return { ...(await jobs.follow({ call, input, signal }, first)), tries, durationMs };
  if (mayBecomeJob) await jobs.end(call.invocationId);
  return { answer: first, tries, durationMs };
}

/** Asks an MCP server for its tools, if it lists them, and what else it declares. */
async function surveyed(
  agents: Pick<AgentCaller, 'survey'>,
  call: OutgoingCall,
  { signal, unpassed }: { signal: AbortSignal; unpassed: ReturnType<typeof createUnpassed> },
): Promise<{ answer: ProbeAnswer; tools?: readonly Record<string, unknown>[] }> {
  const { invocationId } = call;
  const durationMs = stopwatch();
  try {
    const server = await agents.survey(call, { signal, onUnpassed: unpassed.hear });
    unpassed.read(server);
    const { tools } = server;
    const found = toolsFound(tools, durationMs());
    return { answer: { ...found, invocationId, ...(found.ok && { json: NO_ANSWER }) }, tools };
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    const { code, agentMessage: words } = error;
    const cause = causeOf(error);
    return { answer: { ok: false, code, durationMs: durationMs(), invocationId, cause, words } };
  }
}

/** Begins a job and cancels it, as a buyer may, to see whether the agent stops. Does nothing if it never calls back. */
async function tryCancelled(
  agents: Pick<AgentCaller, 'call'>,
  jobs: ProbeJobs,
  newCall: () => Promise<Omit<AttemptedCall, 'delivery'>>,
  input: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (input === undefined || !jobs.hasCallbacks()) return;
  const call = { ...(await newCall()), delivery: null, task: true as const };
  await jobs.begin({ call });
  const first = await callWithAttempts(agents, WITHOUT_METER, call, Buffer.from(input), signal);
  const endsAt = performance.now() + Math.min(jobs.longestMs() + LATE_MS, MOST_LATE_MS);
  if (first.ok !== 'taken' || first.location !== null) return void (await jobs.end(call.invocationId));
  await jobs.cancel(call.invocationId, async () => {
    await sleep(LATE_LOOK_MS, undefined, { signal });
    return performance.now() < endsAt;
  });
}

/** Counts whole milliseconds. */
function stopwatch(): () => number {
  const before = performance.now();
  return () => Math.round(performance.now() - before);
}

/** Why the server of the tools did not respond. */
const causeOf = ({ cause }: MarketError) =>
  cause instanceof EgressError ? connectionCause(cause) : undefined;

function budgetMs({ timeoutMs, jobs }: ServingVersion, { isCrowded }: ProbeCallsOptions): number {
  if (isCrowded?.()) return CROWDED_BUDGET_MS;
  return Math.max(STAGE_BUDGET_MS, 3 * timeoutMs, 3_000 * (jobs?.probeSeconds ?? 0));
}

/** Checks inputs and answers by the schemas of the version, where it has them. */
function schemaChecks(
  schemas: SchemaPool,
  { versionId, inputSchema, outputSchema }: ServingVersion,
): Pick<LiveDeps, 'check' | 'accepts'> {
  return {
    async check(answer) {
      if (outputSchema === null) return [];
      const verdict = await schemas.validate(`${versionId}:output`, outputSchema, answer);
      return verdict.valid ? [] : verdict.problems;
    },
    async accepts(input) {
      if (inputSchema === null) return true;
      return (await schemas.validate(`${versionId}:input`, inputSchema, input)).valid;
    },
  };
}

/** Resolves when the id is so many ms old, and no later: a timer alone is late by a millisecond. */
async function untilAged(id: string, ageMs: number, signal: AbortSignal): Promise<void> {
  const target = timeOfId(id) + ageMs;
  const farMs = target - Date.now() - TIMER_LATE_MS;
  if (farMs > 0) await sleep(farMs, undefined, { signal });
  while (Date.now() < target) await nextTurn();
}

function streamOf({ seed }: Pick<ProbeCallsOptions, 'seed'>, what: keyof typeof STREAMS): () => number {
  return randomNumbers(seed ^ STREAMS[what]);
}

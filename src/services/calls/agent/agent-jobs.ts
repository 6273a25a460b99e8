/** The answers of jobs (ADR 0304): an agent is asked for one at the address that it gave, or has called one back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JobTaken, pauseBeforeAsking, readJobTaken } from '../../../domain/calls/job-taken';
import type { EgressStream } from '../../../egress/answer';
import type { AnswerReview } from '../answers/answer-task';
import {
  type AgentAnswer,
  type AgentCallerDeps,
  answerLimit,
  failureOf,
  mayAnswerAnyType,
  performFor,
  type TakenAnswer,
} from './agent-answer';
import type { Envelope, OutgoingCall } from './agent-envelope';
import { onceOf } from '../answers/echo-guard';
import { readAnswer } from './agent-streamer';
import type { AgentTools } from './agent-tools';
import type { CallOutput } from './in-flight';

/** How long a probe waits for the answer of a job. */
const PROBE_MS = 60_000;
/** How often the callbacks about a probe are read. */
const LOOK_MS = 100;
/** How long an agent may take to say whether it has an answer, with the answer. */
const ASK_TIMEOUT_MS = 30_000;
const NOTHING = Buffer.alloc(0);

export interface JobRequest {
  call: OutgoingCall;
  /** The buyer's input, which answers may repeat. */
  input: Buffer;
  signal: AbortSignal;
  /** How long ago the agent accepted the job, in ms; default: long ago. */
  ageMs?: number;
  /** What is found out about a large answer in the thread that reads it. */
  review?: (() => AnswerReview) | undefined;
}

/** What an agent has called back about a probe. */
export interface CalledBackProbe {
  /** When it last reported; null if it has not. */
  heardAt: Date | null;
  answer: AgentAnswer | undefined;
}

/** What the agent does never makes these throw. */
export function createAgentJobs(deps: AgentCallerDeps, tools: Pick<AgentTools, 'look' | 'cancel'>) {
  const ofTask = (request: JobRequest) => ({ ...request, timeoutMs: ASK_TIMEOUT_MS });

  /**
   * Asks the agent for the answer. 202, or a task that works: the job goes on; 200, or a completed task: the answer;
   * anything else is a failure.
   */
  const ask = (request: JobRequest, location: string): Promise<AgentAnswer | TakenAnswer> =>
    attempted(async (onStatus) => {
      const { call, input, signal } = request;
      if (call.version.kind === 'mcp') return tools.look(ofTask(request), location);
      const envelope = await deps.envelopeOf(call, ASK_TIMEOUT_MS, input);
      const stream = await deps.egress.open({
        url: location,
        method: 'GET',
        headers: { ...envelope.common, ...envelope.ofStep(NOTHING), accept: 'application/json, */*;q=0.5' },
        signal,
        deadlineMs: Date.now() + ASK_TIMEOUT_MS,
        maxResponseBytes: answerLimit(call.version),
        repeatable: true,
      });
      onStatus(stream.status);
      if (stream.status !== 202) return readJobAnswer(deps, request, envelope, stream);
      stream.close();
      return readJobTaken((name) => stream.header(name), location) ?? { location: null, retryAfterMs: null };
    });

  return {
    ask,

    /** Tells an MCP server that its task is no longer wanted. Throws if the server cannot be reached. */
    async cancel(request: JobRequest, location: string): Promise<void> {
      if (request.call.version.kind === 'mcp') await tools.cancel(ofTask(request), location);
    },

    /**
     * Waits for the answer of a probe, for a minute at most and no longer than the agent's jobs last: until it is
     * called back, or there when the agent is asked. `calledBack` reads what the agent has called back.
     */
    async follow(
      request: JobRequest,
      taken: TakenAnswer,
      calledBack: () => Promise<CalledBackProbe>,
    ): Promise<AgentAnswer> {
      const { maxSeconds = 0, heartbeatSeconds = 0 } = request.call.version.jobs ?? {};
      const startedAt = performance.now() - taken.durationMs;
      const endsAt = startedAt + Math.min(maxSeconds * 1_000, PROBE_MS);
      let { retryAfterMs } = taken;
      const takenAt = Date.now();
      for (let asked = 0; ; asked += 1) {
        const pauseMs = taken.location === null ? LOOK_MS : pauseBeforeAsking(asked, retryAfterMs);
        if (request.signal.aborted || performance.now() + pauseMs > endsAt) break;
        await sleep(pauseMs);
        const { heardAt, answer: received } = await calledBack();
        if (received) return { ...received, durationMs: Math.round(performance.now() - startedAt) };
        if (taken.location === null) {
          if (Date.now() > (heardAt?.getTime() ?? takenAt) + heartbeatSeconds * 1_000) break;
          continue;
        }
        const answer = await ask(request, taken.location);
        if (answer.ok !== 'taken')
          return { ...answer, durationMs: Math.round(performance.now() - startedAt) };
        retryAfterMs = answer.retryAfterMs;
      }
      const durationMs = Math.round(performance.now() - startedAt);
      return { ok: false, code: 'agent_timeout', durationMs, delivered: false };
    },

    /** Reads an answer that the agent has called back, as if it were that of a request. */
    receive: (request: JobRequest, json: Buffer): Promise<AgentAnswer | TakenAnswer> =>
      attempted(async () => {
        const envelope = await deps.envelopeOf(request.call, ASK_TIMEOUT_MS, request.input);
        return readJobAnswer(deps, request, envelope, streamOf(json));
      }),
  };
}

export type AgentJobs = ReturnType<typeof createAgentJobs>;

async function attempted(
  work: (onStatus: (status: number) => void) => Promise<CallOutput | JobTaken>,
): Promise<AgentAnswer | TakenAnswer> {
  const startedAt = performance.now();
  let status: number | undefined;
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const got = await work((answered) => (status = answered));
    if ('location' in got) return { ...got, ok: 'taken', durationMs: durationMs(), status: status ?? 202 };
    return { ok: true, ...got, durationMs: durationMs(), delivered: false, status };
  } catch (error) {
    return { ok: false, ...failureOf(error), durationMs: durationMs(), delivered: false, status };
  }
}

async function readJobAnswer(
  deps: AgentCallerDeps,
  { call, review }: JobRequest,
  { guard }: Envelope,
  stream: EgressStream,
): Promise<CallOutput> {
  return readAnswer(await guard.receive(stream), {
    streams: false,
    anyType: mayAnswerAnyType(call.version),
    delivery: null,
    meter: null,
    deadlineMs: Date.now() + ASK_TIMEOUT_MS,
    timeoutMs: ASK_TIMEOUT_MS,
    isBudgeted: false,
    onDelivery: () => undefined,
    guard,
    perform: performFor(deps, call, review),
  });
}

/** A document that is here, as a response. */
function streamOf(json: Buffer): EgressStream {
  return {
    status: 200,
    contentType: 'application/json',
    header: () => undefined,
    body: onceOf(json),
    close: () => undefined,
  };
}

import { type JobTaken, readJobTaken, retryAfterOf } from '../../../domain/jobs/job-taken';
import { callAddress } from '../../../domain/catalogue/manifest';
import { flawNotice } from '../../../domain/catalogue/agent-notice';
import { MarketError } from '../../../domain/errors';
import { EgressError } from '../../../egress/egress-error';
import { anySignal } from '../../../kit/concurrency/any-signal';
import { streamFormOf } from '../../../kit/streams/agent-stream';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import { createRemoteAgents } from '../../a2a/remote/client';
import type { ToolCaller } from '../../mcp/caller';
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
import type { OutgoingCall } from './agent-envelope';
import { createAgentJobs } from './agent-jobs';
import { createAgentMessages } from './agent-messages';
import { createAgentTools, tellOfFailure } from './agent-tools';
import { isJson, readAnswer, STREAM_ACCEPT } from './agent-streamer';
import type { Delivery } from './delivery';
import type { CallOutput } from './in-flight';
import type { StreamMeter } from './metering';

export interface CallLimits {
  /** Aborts the call. */
  signal: AbortSignal;
  /** Timeout of the whole call, in ms; default: the agent's `timeout_ms`. */
  timeoutMs?: number;
  /** The call may become a job, if the agent takes jobs. Otherwise a 202 is an error of the agent. */
  mayBeTaken?: boolean;
  /** A shorter timeout, after which the call would cost more than the buyer's ceiling. */
  budgetMs?: number | null;
  /** Receives the pieces of a streamed answer. */
  delivery?: Delivery | null;
  /** Hears of a tool call while it runs. */
  toolCaller?: ToolCaller;
  /** Checks the buyer's ceiling during a streamed answer. */
  meter?: StreamMeter | null;
  /** What is found out about a large answer in the thread that reads it; default: nothing. */
  review?: () => AnswerReview;
}

interface PostLimits {
  timeoutMs: number;
  deadlineMs: number;
  isBudgeted: boolean;
  signal: AbortSignal;
  delivery: Delivery | null;
  meter: StreamMeter | null;
  review: CallLimits['review'];
  mayBeTaken: boolean;
  onStatus: (status: number, retryAfter: string | undefined) => void;
  onDelivery: () => void;
}

/**
 * Makes one call to an agent (contract, "To the agent"). A manifest agent gets POST `<endpoint.url>/invoke` with the
 * input as its body. A self-hosted agent is called at its endpoint, by a tool of its MCP server, or by a message of
 * A2A. Misbehaviour of the agent never throws: the result is an output or an error code.
 */
export function createAgentCaller(deps: AgentCallerDeps) {
  const tools = createAgentTools(deps);
  const messages = createAgentMessages({ ...deps, remote: createRemoteAgents(deps) });

  return {
    ...createAgentJobs(deps, { mcp: tools, a2a: messages }),

    async call(call: OutgoingCall, body: Buffer, limits: CallLimits): Promise<AgentAnswer | TakenAnswer> {
      const startedAt = performance.now();
      const { timeoutMs = call.version.timeoutMs, budgetMs = null, delivery = null, meter = null } = limits;
      const { review, mayBeTaken = false } = limits;
      const isBudgeted = budgetMs !== null && budgetMs < timeoutMs;
      const deadlineMs = Date.now() + Math.min(timeoutMs, budgetMs ?? timeoutMs);
      let delivered = false;
      let status: number | undefined;
      let retryAfterMs: number | null = null;
      const end = (ownMs = 0) => ({
        durationMs: Math.round(performance.now() - startedAt - ownMs),
        delivered,
        status,
      });
      try {
        const signal = delivery ? anySignal(limits.signal, delivery.closed) : limits.signal;
        const maxResponseBytes = answerLimit(call.version);
        const onStatus = (answered: number, retryAfter?: string) => {
          status = answered;
          retryAfterMs = retryAfterOf(retryAfter);
        };
        const onDelivery = () => (delivered = true);
        const shared = { timeoutMs, mayBeTaken, review, deadlineMs, signal };
        const { kind } = call.version;
        const output =
          kind === 'mcp'
            ? await tools.call(call, body, { ...shared, toolCaller: limits.toolCaller, maxResponseBytes })
            : kind === 'a2a'
              ? await messages.call(call, body, {
                  ...{ ...shared, maxResponseBytes, onStatus },
                  reader: { isBudgeted, delivery, meter, onDelivery },
                })
              : await post(deps, call, body, {
                  ...shared,
                  isBudgeted,
                  delivery,
                  meter,
                  onStatus,
                  onDelivery,
                });
        if ('location' in output) return { ok: 'taken', ...output, ...end(), status: 202 };
        return { ok: true, ...output, ...end(output.found?.tookMs) };
      } catch (error) {
        const failure = failureOf(error, delivery);
        if (isBudgeted && isTimeout(error)) failure.code = 'max_cost_exceeded';
        return { ok: false, ...failure, ...end(), ...(retryAfterMs !== null && { retryAfterMs }) };
      }
    },

    listTools: (call: OutgoingCall, limits: Pick<CallLimits, 'signal' | 'timeoutMs'>) =>
      tools.list(call, limits),
    survey: tools.survey,
    capabilities: tools.capabilities,
    request: tools.request,
  };
}

export type AgentCaller = ReturnType<typeof createAgentCaller>;

async function post(
  deps: AgentCallerDeps,
  call: OutgoingCall,
  body: Buffer,
  limits: PostLimits,
): Promise<CallOutput | JobTaken> {
  const { delivery, meter, deadlineMs, timeoutMs, isBudgeted, signal, onDelivery } = limits;
  const streams = call.version.streaming || delivery !== null;
  const envelope = await deps.envelopeOf(call, timeoutMs, body);
  const url = callAddress(call.version.kind, call.version.endpointUrl);
  const open = deps.egress.open({
    url,
    body,
    headers: {
      ...envelope.common,
      ...envelope.ofCall(body),
      'content-type': call.inputType ?? 'application/json',
      accept: acceptOf(call.version, streams),
    },
    signal,
    deadlineMs,
    maxResponseBytes: answerLimit(call.version),
    repeatable: call.version.idempotent,
  });
  const stream = await open.catch((error: unknown) => {
    tellOfFailure(error, url, envelope);
    throw error;
  });
  limits.onStatus(stream.status, stream.header('retry-after'));
  if (stream.status === 202) {
    const { jobs } = call.version;
    const taken = limits.mayBeTaken && jobs && readJobTaken((name) => stream.header(name), url);
    stream.close();
    if (!taken) throw refusedJob(jobs ? (limits.mayBeTaken ? 'other_origin' : 'not_now') : 'undeclared');
    return taken;
  }
  const { guard } = envelope;
  const anyType = mayAnswerAnyType(call.version);
  const answer = await guard.receive(stream);
  const read = readAnswer(answer, {
    streams,
    anyType,
    delivery,
    meter,
    deadlineMs,
    timeoutMs,
    isBudgeted,
    onDelivery,
    guard,
    perform: performFor(deps, call, limits.review),
  });
  return read.catch((error: unknown) => {
    const isDocument = stream.status === 200 && !(streams && streamFormOf(stream.contentType));
    if (isDocument && error instanceof MarketError && !isJson(stream.contentType))
      void envelope.tell(flawNotice('content_type'));
    tellOfFailure(error, url, envelope);
    throw error;
  });
}

/** Why a call cannot become a job: in words for its buyer, and with the place in the response for the agent's owner. */
const REFUSED_JOBS = {
  undeclared: {
    agentMessage: 'The agent takes the call as a job, and does not declare jobs.',
    place: { loc: ['status'], msg: '202 takes a job, which capabilities.jobs must declare', type: 'const' },
  },
  other_origin: {
    agentMessage: 'The agent takes the call as a job at an address of another origin.',
    place: { loc: ['header', 'Location'], msg: 'must have the origin of the endpoint', type: 'format' },
  },
  not_now: {
    agentMessage: 'The agent takes the call as a job, which this call cannot be.',
    place: { loc: ['status'], msg: '202 takes a job, which this call cannot be', type: 'const' },
  },
} as const;

function refusedJob(why: keyof typeof REFUSED_JOBS): MarketError {
  const { agentMessage, place } = REFUSED_JOBS[why];
  return new MarketError('agent_error', { agentMessage, detail: [{ ...place, loc: [...place.loc] }] });
}

function acceptOf(version: ServingVersion, streams: boolean): string {
  const wanted = streams ? STREAM_ACCEPT : 'application/json';
  return mayAnswerAnyType(version) ? `${wanted}, */*;q=0.5` : wanted;
}

function isTimeout(error: unknown): boolean {
  return error instanceof EgressError && error.kind === 'timeout';
}

import { type JobTaken, readJobTaken } from '../../../domain/calls/job-taken';
import { callAddress } from '../../../domain/catalogue/manifest';
import { flawNotice, redirectNotice } from '../../../domain/catalogue/agent-notice';
import { MarketError } from '../../../domain/errors';
import { EgressError, egressErrorToCode } from '../../../egress/egress-error';
import { streamFormOf } from '../../../kit/streams/agent-stream';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import type { AnswerReview } from '../answers/answer-task';
import {
  type AgentAnswer,
  type AgentCallerDeps,
  answerLimit,
  failureOf,
  MAX_ANSWER_BYTES,
  mayAnswerAnyType,
  performFor,
  type TakenAnswer,
} from './agent-answer';
import type { Envelope, OutgoingCall } from './agent-envelope';
import { createAgentJobs } from './agent-jobs';
import { isJson, type Perform, readAnswer, STREAM_ACCEPT } from './agent-streamer';
import type { Delivery } from './delivery';
import type { CallOutput } from './in-flight';
import type { McpLimits, McpTarget } from '../../mcp/exchange';
import type { JsonObject } from '../../mcp/protocol';
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
  onStatus: (status: number) => void;
  onDelivery: () => void;
}

/**
 * Makes one call to an agent (contract, "To the agent"). A manifest agent gets POST `<endpoint.url>/invoke` with the
 * input as its body. A self-hosted agent is called at its endpoint, or by a tool of its MCP server. Misbehaviour of the
 * agent never throws: the result is an output or an error code.
 */
export function createAgentCaller(deps: AgentCallerDeps) {
  return {
    ...createAgentJobs(deps),

    async call(call: OutgoingCall, body: Buffer, limits: CallLimits): Promise<AgentAnswer | TakenAnswer> {
      const startedAt = performance.now();
      const { timeoutMs = call.version.timeoutMs, budgetMs = null, delivery = null, meter = null } = limits;
      const { review, mayBeTaken = false } = limits;
      const isBudgeted = budgetMs !== null && budgetMs < timeoutMs;
      const deadlineMs = Date.now() + Math.min(timeoutMs, budgetMs ?? timeoutMs);
      let delivered = false;
      let status: number | undefined;
      const end = (ownMs = 0) => ({
        durationMs: Math.round(performance.now() - startedAt - ownMs),
        delivered,
        status,
      });
      try {
        const signal = delivery ? AbortSignal.any([limits.signal, delivery.closed]) : limits.signal;
        const maxResponseBytes = answerLimit(call.version);
        const onStatus = (answered: number) => (status = answered);
        const onDelivery = () => (delivered = true);
        const output =
          call.version.kind === 'mcp'
            ? await callTool(deps, call, body, timeoutMs, { deadlineMs, maxResponseBytes, signal, review })
            : await post(deps, call, body, {
                timeoutMs,
                deadlineMs,
                isBudgeted,
                signal,
                delivery,
                meter,
                review,
                mayBeTaken,
                onStatus,
                onDelivery,
              });
        if ('location' in output) return { ok: 'taken', ...output, ...end(), status: 202 };
        return { ok: true, ...output, ...end(output.found?.tookMs) };
      } catch (error) {
        const failure = failureOf(error, delivery);
        if (isBudgeted && isTimeout(error)) failure.code = 'max_cost_exceeded';
        return { ok: false, ...failure, ...end() };
      }
    },

    /** Lists the tools of an MCP agent as its server describes them. Throws `MarketError` if the server fails. */
    async listTools(
      call: OutgoingCall,
      limits: Pick<CallLimits, 'signal' | 'timeoutMs'>,
    ): Promise<JsonObject[]> {
      const { timeoutMs = call.version.timeoutMs, signal } = limits;
      const deadlineMs = Date.now() + timeoutMs;
      try {
        const target = await targetOf(deps, call, timeoutMs, Buffer.alloc(0), performFor(deps, call));
        return await deps.mcp.listTools(target, { deadlineMs, maxResponseBytes: MAX_ANSWER_BYTES, signal });
      } catch (error) {
        if (!(error instanceof EgressError)) throw error;
        throw new MarketError(egressErrorToCode(error.kind), { cause: error });
      }
    },
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
  limits.onStatus(stream.status);
  if (stream.status === 202 && limits.mayBeTaken && call.version.jobs) {
    stream.close();
    const taken = readJobTaken((name) => stream.header(name), url);
    if (!taken) throw new MarketError('agent_error');
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

/**
 * Informs the owner of an endpoint that redirects, because redirects are not followed, or whose answer has a wrong
 * header.
 */
function tellOfFailure(error: unknown, url: string, { tell }: Pick<Envelope, 'tell'>): void {
  if (!(error instanceof EgressError)) return;
  if (error.kind === 'redirect') void tell(redirectNotice(url, error.location));
  else if (error.flaw) void tell(flawNotice(error.flaw));
}

async function targetOf(
  deps: AgentCallerDeps,
  call: OutgoingCall,
  timeoutMs: number,
  input: Buffer,
  perform: Perform,
): Promise<McpTarget> {
  const envelope = await deps.envelopeOf(call, timeoutMs, input);
  const { common, ofCall, ofStep, guard } = envelope;
  return {
    url: call.version.endpointUrl,
    headers: common,
    sign: (body, { method }) => (method === 'tools/call' ? ofCall(body) : ofStep(body)),
    idempotent: call.version.idempotent,
    cacheKey: call.version.versionId,
    wrap: guard.receiveMcp,
    onFailure: (error) => tellOfFailure(error, call.version.endpointUrl, envelope),
    read: {
      toolReply: (message, id) => perform({ kind: 'tool_reply', id }, message),
      message: async (message) => (await perform({ kind: 'message' }, message)).value,
    },
  };
}

async function callTool(
  deps: AgentCallerDeps,
  call: OutgoingCall,
  body: Buffer,
  timeoutMs: number,
  { review, ...limits }: McpLimits & Pick<PostLimits, 'review'>,
): Promise<CallOutput> {
  const perform = performFor(deps, call, review);
  const result = await deps.mcp.callTool(
    await targetOf(deps, call, timeoutMs, body, perform),
    await perform({ kind: 'tool_call' }, body),
    limits,
  );
  const { json, sha256, isError, found } = result;
  return { json, sha256, plain: null, isToolError: isError, truncatedBy: null, found };
}

function acceptOf(version: ServingVersion, streams: boolean): string {
  const wanted = streams ? STREAM_ACCEPT : 'application/json';
  return mayAnswerAnyType(version) ? `${wanted}, */*;q=0.5` : wanted;
}

function isTimeout(error: unknown): boolean {
  return error instanceof EgressError && error.kind === 'timeout';
}

import { randomBytes } from 'node:crypto';
import { type ErrorCode, MarketError } from '../domain/errors';
import { HOPS_HEADER, nextHops } from '../domain/hops';
import type { Egress } from '../egress/agent-call';
import { EgressError, egressErrorToCode } from '../egress/egress-error';
import type { Cipher } from '../kit/cipher';
import { signWebhook } from '../kit/webhook-signature';
import type { ServingVersion } from '../stores/serving-versions';
import { readAnswer, STREAM_ACCEPT } from './agent-streamer';
import type { ChunkSink } from './invocation-registry';
import type { StreamMeter } from './stream-meter';

/** What an agent may answer at most. */
export const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
/** The longest text whose tokens are counted for money. */
export const MAX_COUNTED_BYTES = 1024 * 1024;
const MAX_SECRETS = 1_000;

/**
 * `delivered`: a piece of the answer has reached the sink, so the call must not be tried again. `status`: of HTTP,
 * absent when no answer came.
 */
export type AgentAnswer = { durationMs: number; delivered: boolean; status?: number | undefined } & (
  { ok: true; json: Buffer } | { ok: false; code: ErrorCode }
);

export interface OutgoingCall {
  invocationId: string;
  version: ServingVersion;
  traceId: string;
  /** How many calls of this service led to this one. */
  hops: number;
}

export interface CallLimits {
  /** Ends the call early. */
  signal: AbortSignal;
  /** Until when the whole call must be over; default: the agent's `timeout_ms`. */
  timeoutMs?: number;
  /** A shorter time after which the call would cost more than the buyer's ceiling. */
  budgetMs?: number | null;
  /** Takes the pieces of the answer while it is made. */
  sink?: ChunkSink | null;
  /** Watches the buyer's ceiling meanwhile. */
  meter?: StreamMeter | null;
}

export interface AgentCallerDeps {
  egress: Egress;
  cipher: Cipher;
}

/**
 * One call to an agent (contract, "To the agent"): POST `<endpoint.url>/invoke`, the body is the input itself, with
 * the fixed headers and a Standard Webhooks signature made with the agent's own secret, so that a developer can
 * verify who calls. Never throws for what the agent does: the answer is re-serialised JSON or a code.
 */
export function createAgentCaller(deps: AgentCallerDeps) {
  const secrets = new Map<string, { sealed: Buffer; secret: string }>();

  async function signingSecret(version: ServingVersion): Promise<string> {
    const known = secrets.get(version.agentId);
    if (known?.sealed.equals(version.sealedSigningSecret)) return known.secret;
    const opened = await deps.cipher.open(version.sealedSigningSecret, signingSecretContext(version.agentId));
    const secret = opened.toString();
    if (secrets.size >= MAX_SECRETS) secrets.clear();
    secrets.set(version.agentId, { sealed: version.sealedSigningSecret, secret });
    return secret;
  }

  async function headersOf(call: OutgoingCall, body: Buffer, deadlineMs: number, streams: boolean) {
    const { version, invocationId } = call;
    const secret = await signingSecret(version);
    return {
      'content-type': 'application/json',
      accept: streams ? STREAM_ACCEPT : 'application/json',
      'x-invocation-id': invocationId,
      'x-agent-version': version.version,
      'x-deadline-ms': String(deadlineMs),
      [HOPS_HEADER]: nextHops(call.hops),
      'idempotency-key': invocationId,
      traceparent: `00-${call.traceId}-${randomBytes(8).toString('hex')}-01`,
      ...signWebhook(secret, invocationId, Math.floor(Date.now() / 1000), body),
    };
  }

  return {
    async call(call: OutgoingCall, body: Buffer, limits: CallLimits): Promise<AgentAnswer> {
      const startedAt = performance.now();
      const { timeoutMs = call.version.timeoutMs, budgetMs = null, sink = null, meter = null } = limits;
      const deadlineMs = Date.now() + Math.min(timeoutMs, budgetMs ?? timeoutMs);
      const streams = call.version.streaming || sink !== null;
      let delivered = false;
      let status: number | undefined;
      const end = () => ({ durationMs: Math.round(performance.now() - startedAt), delivered, status });
      try {
        const stream = await deps.egress.open({
          url: invokeUrl(call.version),
          body,
          headers: await headersOf(call, body, timeoutMs, streams),
          signal: sink ? AbortSignal.any([limits.signal, sink.closed]) : limits.signal,
          deadlineMs,
          maxResponseBytes: answerLimit(call.version),
        });
        status = stream.status;
        const onDelivery = () => (delivered = true);
        const json = await readAnswer(stream, { streams, sink, meter, deadlineMs, onDelivery });
        return { ok: true, json, ...end() };
      } catch (error) {
        if (!(error instanceof EgressError) && !(error instanceof MarketError)) throw error;
        const overBudget = isTimeout(error) && budgetMs !== null && budgetMs < timeoutMs;
        const code = overBudget ? 'max_cost_exceeded' : codeOf(error, sink);
        return { ok: false, code, ...end() };
      }
    },
  };
}

export type AgentCaller = ReturnType<typeof createAgentCaller>;

/** The context under which an agent's signing secret is sealed. */
export function signingSecretContext(agentId: string): Record<string, string> {
  return { purpose: 'agent-signing-secret', agent_id: agentId };
}

/** Tokens are counted over at most 1 MiB, so an answer that is paid by them may not be larger. */
function answerLimit(version: ServingVersion): number {
  return version.terms.model === 'per_token' ? MAX_COUNTED_BYTES : MAX_ANSWER_BYTES;
}

/** Manifest agents answer at `<endpoint.url>/invoke`; a registered endpoint is called as it stands. */
function invokeUrl(version: ServingVersion): string {
  if (version.kind !== 'manifest') return version.endpointUrl;
  const url = new URL(version.endpointUrl);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/invoke`;
  return url.href;
}

function isTimeout(error: EgressError | MarketError): boolean {
  return error instanceof EgressError && error.kind === 'timeout';
}

function codeOf(error: EgressError | MarketError, sink: ChunkSink | null): ErrorCode {
  if (sink?.closed.aborted) return 'client_closed';
  return error instanceof EgressError ? egressErrorToCode(error.kind) : error.code;
}

import { randomBytes } from 'node:crypto';
import type { ErrorCode } from '../domain/errors';
import type { Egress } from '../egress/agent-call';
import { EgressError, egressErrorToCode } from '../egress/egress-error';
import type { Cipher } from '../kit/cipher';
import { parseStrictJson } from '../kit/strict-json';
import { signWebhook } from '../kit/webhook-signature';
import type { ServingVersion } from '../stores/serving-versions';

/** What an agent may answer at most. */
export const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
/** The longest text whose tokens are counted for money. */
export const MAX_COUNTED_BYTES = 1024 * 1024;
const MAX_SECRETS = 1_000;

export type AgentAnswer =
  { ok: true; json: Buffer; durationMs: number } | { ok: false; code: ErrorCode; durationMs: number };

export interface OutgoingCall {
  invocationId: string;
  version: ServingVersion;
  traceId: string;
}

export interface CallLimits {
  /** Ends the call early. */
  signal: AbortSignal;
  /** Until when the whole call must be over; default: the agent's `timeout_ms`. */
  timeoutMs?: number;
  /** A shorter time after which the call would cost more than the buyer's ceiling. */
  budgetMs?: number | null;
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

  async function headersOf(call: OutgoingCall, body: Buffer, deadlineMs: number): Promise<Record<string, string>> {
    const { version, invocationId } = call;
    const secret = await signingSecret(version);
    return {
      'content-type': 'application/json',
      accept: 'application/json',
      'x-invocation-id': invocationId,
      'x-agent-version': version.version,
      'x-deadline-ms': String(deadlineMs),
      'idempotency-key': invocationId,
      traceparent: `00-${call.traceId}-${randomBytes(8).toString('hex')}-01`,
      ...signWebhook(secret, invocationId, Math.floor(Date.now() / 1000), body),
    };
  }

  return {
    async call(call: OutgoingCall, body: Buffer, limits: CallLimits): Promise<AgentAnswer> {
      const startedAt = performance.now();
      const elapsed = () => Math.round(performance.now() - startedAt);
      const { timeoutMs = call.version.timeoutMs, budgetMs = null } = limits;
      try {
        const answer = await deps.egress.post({
          url: invokeUrl(call.version),
          body,
          headers: await headersOf(call, body, timeoutMs),
          signal: limits.signal,
          deadlineMs: Date.now() + Math.min(timeoutMs, budgetMs ?? timeoutMs),
          maxResponseBytes: answerLimit(call.version),
        });
        const durationMs = elapsed();
        if (answer.status !== 200) return { ok: false, code: 'agent_error', durationMs };
        return { ...readAnswer(answer.body), durationMs };
      } catch (error) {
        if (!(error instanceof EgressError)) throw error;
        const overBudget = error.kind === 'timeout' && budgetMs !== null && budgetMs < timeoutMs;
        const code = overBudget ? 'max_cost_exceeded' : egressErrorToCode(error.kind);
        return { ok: false, code, durationMs: elapsed() };
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

/** What is validated is what is delivered: the answer is read strictly and written again. */
function readAnswer(body: Buffer): { ok: true; json: Buffer } | { ok: false; code: ErrorCode } {
  try {
    return { ok: true, json: Buffer.from(JSON.stringify(parseStrictJson(body).value)) };
  } catch {
    return { ok: false, code: 'agent_error' };
  }
}

/**
 * What the service says to an agent besides the input (contract, "To the agent"): the fixed headers, a Standard Webhooks
 * signature made with the agent's own secret, so that a developer can verify who calls, and for a self-hosted agent its
 * upstream credential, which is masked in whatever comes back.
 */
import { randomBytes } from 'node:crypto';
import { HOPS_HEADER, nextHops } from '../../../domain/calls/hops';
import { type Cipher, SealedValueError } from '../../../kit/crypto/cipher';
import { signWebhook } from '../../../kit/crypto/webhook-signature';
import type { Logger } from '../../../logger';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import type { AgentNotices } from '../../catalogue/agent-notices';
import { createEchoGuard, type EchoGuard } from './echo-guard';
import {
  NO_CREDENTIAL,
  type UpstreamCredentials,
  type UpstreamHeaders,
} from '../../catalogue/upstream-credentials';

const MAX_SECRETS = 1_000;

export interface OutgoingCall {
  invocationId: string;
  version: ServingVersion;
  traceId: string;
  /** How many calls of this service led to this one. */
  hops: number;
  /** What the input is; default: JSON. */
  inputType?: string;
}

/** What one call sends besides its body, and what its answer passes before it is read. */
export interface Envelope {
  /** Of every message of the call. */
  common: Record<string, string>;
  /** Of the message that is the call itself. */
  ofCall: (body: Buffer) => Record<string, string>;
  /** Of a message before it, such as a handshake: under an id of its own, so that nobody takes it for the call. */
  ofStep: (body: Buffer) => Record<string, string>;
  guard: EchoGuard;
}

export interface AgentEnvelopesDeps {
  cipher: Cipher;
  credentials: Pick<UpstreamCredentials, 'headersFor'>;
  notices: Pick<AgentNotices, 'tell'>;
  logger: Logger;
}

export function createAgentEnvelopes(deps: AgentEnvelopesDeps) {
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

  /** The owner is told, who can set it again; operators read of it, who may lack a master key. */
  async function upstreamOf(version: ServingVersion): Promise<UpstreamHeaders> {
    if (version.kind === 'manifest') return NO_CREDENTIAL;
    try {
      return await deps.credentials.headersFor(version.agentId);
    } catch (error) {
      if (error instanceof SealedValueError) await deps.notices.tell(version, 'credential_unreadable');
      throw error;
    }
  }

  return {
    /** `timeoutMs`: how long the agent is told that it has. Throws `SealedValueError` when a secret does not open. */
    async of(call: OutgoingCall, timeoutMs: number): Promise<Envelope> {
      const { version, invocationId } = call;
      const opening = Promise.all([signingSecret(version), upstreamOf(version)]);
      const [secret, upstream] = await opening.catch((error: unknown) => {
        if (error instanceof SealedValueError)
          deps.logger.error({ err: error, agentId: version.agentId }, 'a secret of an agent does not open');
        throw error;
      });
      const sign = (id: string, body: Buffer) => signWebhook(secret, id, Math.floor(Date.now() / 1000), body);
      return {
        common: {
          ...upstream.headers,
          'x-invocation-id': invocationId,
          'x-agent-version': version.version,
          'x-deadline-ms': String(timeoutMs),
          [HOPS_HEADER]: nextHops(call.hops),
          traceparent: `00-${call.traceId}-${randomBytes(8).toString('hex')}-01`,
        },
        ofCall: (body) => ({ 'idempotency-key': invocationId, ...sign(invocationId, body) }),
        ofStep: (body) => sign(`${invocationId}-${randomBytes(4).toString('hex')}`, body),
        guard: createEchoGuard(upstream.secret, (kind) => deps.notices.tell(version, kind)),
      };
    },
  };
}

export type AgentEnvelopes = ReturnType<typeof createAgentEnvelopes>;

/** The context under which an agent's signing secret is sealed. */
export function signingSecretContext(agentId: string): Record<string, string> {
  return { purpose: 'agent-signing-secret', agent_id: agentId };
}

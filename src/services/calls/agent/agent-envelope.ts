/**
 * The headers of a call to an agent (contract, "To the agent"): fixed headers; Standard Webhooks signatures with the
 * agent's own secrets, so that its developer can authenticate the service; and for self-hosted agents the upstream
 * credential. Credential, endpoint and signature are masked in the answers.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { AgentNoticeKind } from '../../../domain/catalogue/agent-notice';
import { hasTasks } from '../../../domain/jobs/task-kinds';
import { HOPS_HEADER, nextHops } from '../../../domain/calls/hops';
import type { PushTarget } from '../../../domain/jobs/push-target';
import { type Cipher, SealedValueError } from '../../../kit/crypto/cipher';
import { signWebhook } from '../../../kit/crypto/webhook-signature';
import { credentialsInUrl } from '../../../kit/masking/credentials-in-url';
import type { MaskPool } from '../../../kit/masking/mask-pool';
import { MASK } from '../../../kit/masking/masked-output';
import { createSecret, type Secret, wholeHost } from '../../../kit/masking/masking';
import { secretsInHeader } from '../../../kit/masking/secrets-in-header';
import { spanIdOf, spanSink } from '../../../kit/tracing';
import type { Logger } from '../../../logger';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import type { AgentNotices } from '../../catalogue/agent-notices';
import { createSigningSecretReader } from '../../catalogue/signing-secret';
import { acceptanceHeaders, type KnownAcceptance } from '../answers/acceptance';
import { type AnswerSecrets, createEchoGuard, type EchoGuard } from '../answers/echo-guard';
import {
  NO_CREDENTIAL,
  ShortCredentialError,
  type UpstreamCredentials,
  type UpstreamHeaders,
} from '../../catalogue/upstream-credentials';

export interface OutgoingCall {
  invocationId: string;
  version: ServingVersion;
  traceId: string;
  /** Number of calls of this service that led to this one. */
  hops: number;
  /** Content type of the input; default: JSON. */
  inputType?: string;
  /** A probe, which calls tools that buyers are not served yet. */
  ofVerification?: true;
  /** The conversation with an A2A agent that the call belongs to, if its input names none. */
  conversation?: string | undefined;
  /** The tests that its buyer has set for the answer. */
  acceptance?: KnownAcceptance | undefined;
}

/** The headers of one call, and the guard for its answer. */
export interface Envelope {
  /** Headers of every message of the call. */
  common: Record<string, string>;
  /** Headers of the message that contains the call. */
  ofCall: (body: Buffer) => Record<string, string>;
  /**
   * Headers of an earlier message, such as a handshake. It has its own id, so that it cannot be mistaken for the call.
   */
  ofStep: (body: Buffer) => Record<string, string>;
  /** Headers of a message that may be sent again, by the same id. */
  ofMessage: (id: string, body: Buffer) => Record<string, string>;
  /** Where the agent notifies about its task; undefined if it does not. */
  push: PushTarget | undefined;
  guard: EchoGuard;
  /** Informs the agent's owner. */
  tell: (kind: AgentNoticeKind) => Promise<void>;
  /** Informs the owner of an A2A agent if a host is masked in the answer, and not only in the address of its file. */
  answered: (json: Buffer) => void;
}

/** The addresses at which the agent of a call may report. */
export interface CallbackUrls {
  /** Where it calls back (ADR 0305). */
  callbackUrlOf: (invocationId: string) => string;
  /** Where an A2A agent notifies about its task (ADR 0362). */
  pushTargetOf: (invocationId: string) => PushTarget;
}

export interface AgentEnvelopesDeps {
  cipher: Cipher;
  credentials: Pick<UpstreamCredentials, 'headersFor'>;
  notices: Pick<AgentNotices, 'tell'>;
  masking: MaskPool;
  callbackUrls: CallbackUrls;
  logger: Logger;
}

/**
 * The span that the agent's own spans are below: the step that calls it, or a random one without traces, of an UUID
 * because Node draws the bytes of many UUIDs at once.
 */
const parentOf = (invocationId: string) =>
  spanSink() ? spanIdOf(`${invocationId}/forward`) : randomUUID().slice(-17).replace('-', '');

/**
 * Whether the agent may accept a call as a job and call back (ADR 0304). A call of a probe has the same header, and a
 * callback about it gets the same answer (ADR 0317): nothing on the wire shows who pays (ADR 0088).
 */
const mayCallBack = ({ jobs, kind }: ServingVersion) => jobs !== null && !hasTasks(kind);

/** Whether the agent notifies about the tasks that its jobs are, as its card says. */
const mayPush = ({ jobs, card }: ServingVersion) => jobs !== null && card?.pushes === true;

/** The last parts of an address that are the token of the call. */
const tokenIn = (url: string, depth: number) => url.split('/').at(-depth) ?? '';

export function createAgentEnvelopes(deps: AgentEnvelopesDeps) {
  const answerSecrets = createAnswerSecrets();
  const signingSecrets = createSigningSecretReader(deps.cipher);

  /** Reads the credential. If it cannot be decrypted, notifies the owner, who can set it again. */
  async function upstreamOf(version: ServingVersion): Promise<UpstreamHeaders> {
    if (version.kind === 'manifest') return NO_CREDENTIAL;
    try {
      return await deps.credentials.headersFor(version);
    } catch (error) {
      if (error instanceof SealedValueError) await deps.notices.tell(version, 'credential_unreadable');
      if (error instanceof ShortCredentialError) await deps.notices.tell(version, 'credential_too_short');
      throw error;
    }
  }

  return {
    /**
     * `timeoutMs`: the timeout that is sent to the agent. `input`: the buyer's input. Throws
     * `SealedValueError` if a secret cannot be decrypted, `ShortCredentialError` if the credential is too short.
     */
    async of(call: OutgoingCall, timeoutMs: number, input: Buffer): Promise<Envelope> {
      const { version, invocationId } = call;
      const unsealing = Promise.all([signingSecrets(version), upstreamOf(version)]);
      const [secrets, upstream] = await unsealing.catch((error: unknown) => {
        if (error instanceof SealedValueError)
          deps.logger.error({ err: error, agentId: version.agentId }, 'cannot decrypt a secret of an agent');
        throw error;
      });
      const owner = toOwner(version, (kind) => deps.notices.tell(version, kind));
      const { callbackUrlOf, pushTargetOf } = deps.callbackUrls;
      const callbackUrl = mayCallBack(version) ? callbackUrlOf(invocationId) : undefined;
      const push = mayPush(version) ? pushTargetOf(invocationId) : undefined;
      // A buyer must not see the tokens of the addresses either.
      const signatures = [
        ...(callbackUrl === undefined ? [] : [tokenIn(callbackUrl, 1)]),
        ...(push === undefined ? [] : [tokenIn(push.url, 2), push.token]),
      ];
      const sign = (id: string, body: Buffer) => {
        const headers = signWebhook(secrets, id, Math.floor(Date.now() / 1000), body);
        for (const one of headers['webhook-signature'].split(' ')) signatures.push(one.replace(/^v1,/, ''));
        return headers;
      };
      return {
        common: {
          ...upstream.headers,
          'x-invocation-id': invocationId,
          'x-agent-version': version.version,
          'x-deadline-ms': String(timeoutMs),
          [HOPS_HEADER]: nextHops(call.hops),
          ...(callbackUrl !== undefined && { 'x-callback-url': callbackUrl }),
          traceparent: `00-${call.traceId}-${parentOf(invocationId)}-01`,
        },
        ofCall: (body) => ({ ...headersOf(call), ...sign(invocationId, body) }),
        ofMessage: sign,
        push,
        ofStep: (body) => sign(`${invocationId}-${randomBytes(4).toString('hex')}`, body),
        ...owner.told,
        guard: createEchoGuard({
          pool: deps.masking,
          tenant: version.developerUserId,
          secrets: answerSecrets(version, upstream.value),
          input,
          signatures,
          tell: owner.tellOfAnswer,
        }),
      };
    },
  };
}

/** The headers of the message that contains the call. */
const headersOf = ({ invocationId, acceptance }: OutgoingCall) => ({
  'idempotency-key': invocationId,
  ...acceptanceHeaders(acceptance),
});

export type AgentEnvelopes = ReturnType<typeof createAgentEnvelopes>;

/**
 * The notice about a masked host of an A2A agent waits for the whole answer: a file at that host is fetched, and its
 * address is not in the answer (ADR 0364).
 */
function toOwner(
  { kind }: ServingVersion,
  tell: Envelope['tell'],
): { told: Pick<Envelope, 'tell' | 'answered'>; tellOfAnswer: Envelope['tell'] } {
  let isMasked = false;
  const answered: Envelope['answered'] = (json) => {
    if (isMasked && MASKS.some((mask) => json.includes(mask))) void tell('endpoint_in_answer');
  };
  return {
    told: { tell, answered },
    async tellOfAnswer(notice) {
      if (kind === 'a2a' && notice === 'endpoint_in_answer') isMasked = true;
      else await tell(notice);
    },
  };
}

/** What stands in an answer for a masked text; the second for one that is shorter than the first. */
const MASKS: readonly string[] = [MASK, '****'];

/** Total length of the secrets whose search is kept ready; 1,000 characters need about 0.4 MB. */
const MAX_KEPT_LENGTH = 65_536;

/**
 * Returns the function that finds what must not appear in the answers of a version, and keeps what it found last: the
 * upstream credential, the host of the endpoint, and the credentials in its path and query. An agent that repeats its
 * request would otherwise reveal them to buyers.
 */
function createAnswerSecrets() {
  const kept = new Map<string, AnswerSecrets & { credential: string | null }>();
  let keptLength = 0;

  return function of(
    { versionId, endpointUrl }: Pick<ServingVersion, 'versionId' | 'endpointUrl'>,
    credential: string | null,
  ): AnswerSecrets {
    const known = kept.get(versionId);
    if (known) {
      kept.delete(versionId);
      keptLength -= lengthOf(known.secret);
    }
    const secrets =
      known?.credential === credential ? known : { ...newSecrets(endpointUrl, credential), credential };
    kept.set(versionId, secrets);
    keptLength += lengthOf(secrets.secret);
    for (const [oldest, { secret }] of kept) {
      if (keptLength <= MAX_KEPT_LENGTH || oldest === versionId) break;
      kept.delete(oldest);
      keptLength -= lengthOf(secret);
    }
    return secrets;
  };
}

function newSecrets(endpointUrl: string, credential: string | null): AnswerSecrets {
  const texts = credential === null ? [] : secretsInHeader(credential);
  const ofEndpoint = endpointTexts(endpointUrl).filter((text) => !texts.includes(text));
  return { secret: createSecret([...texts, ...ofEndpoint]), credentialTexts: texts.length };
}

/** Ordinary words of the path and the query, such as `format=markdown`, are ordinary words of answers, too. */
function endpointTexts(endpointUrl: string): string[] {
  const { host, hostname } = new URL(endpointUrl);
  return [...new Set([...credentialsInUrl(endpointUrl), wholeHost(hostname), wholeHost(host)])];
}

function lengthOf({ texts }: Secret): number {
  return texts.reduce((length, text) => length + text.length, 0);
}

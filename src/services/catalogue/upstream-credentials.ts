/**
 * The upstream credential: the secret that the service sends to a self-hosted agent, so that the agent can authenticate
 * the service (specification, "upstream_auth"). It belongs to the origin of the endpoint that it was given for, and is
 * sent nowhere else (ADR 0200). It is sealed for its agent and header, and decrypted only to add the header. Echoes of
 * it in the agent's answers are masked (src/services/calls/answers/echo-guard.ts). This process sends it to the agent
 * only.
 */
import {
  type Registration,
  type RegistrationDocument,
  registrationOf,
} from '../../domain/catalogue/registration';
import { refusalOf } from './manifest-check';
import { refusedCredential } from '../../egress/header-rules';
import { type Cipher, SealedValueError } from '../../kit/crypto/cipher';
import type { Db } from '../../stores/db';
import {
  agentsWithCredential,
  deleteCredential,
  deleteOtherCredentials,
  readCredential,
  writeCredential,
} from '../../stores/catalogue/upstream-credentials';
import { BoundedMap } from '../../kit/bounded-map';

/** `upstream_auth` of a registration. */
export interface UpstreamAuth {
  /** A header name that may be sent (src/egress/header-rules.ts). */
  header: string;
  /** The value. An empty value clears the credential. */
  key: string;
}

/** An agent at the endpoint of one of its versions. */
export interface AgentEndpoint {
  agentId: string;
  endpointUrl: string;
}

/**
 * A stored credential that could be guessed by what is masked in answers. It was stored before short ones were refused.
 */
export class ShortCredentialError extends Error {
  override readonly name = 'ShortCredentialError';
}

export interface UpstreamHeaders {
  /** Headers for every request to the agent; empty without a credential. */
  headers: Readonly<Record<string, string>>;
  /** The value, which is masked in the agent's answers; null without a credential. */
  value: string | null;
}

const MAX_OPENED = 1_000;
/** For agents without a credential, such as every agent with a manifest. */
export const NO_CREDENTIAL: UpstreamHeaders = { headers: {}, value: null };

export function createUpstreamCredentials(deps: { pool: Db; cipher: Cipher }) {
  const { pool, cipher } = deps;
  const opened = new BoundedMap<string, { sealed: Buffer; upstream: UpstreamHeaders }>(MAX_OPENED);

  async function open(agentId: string, header: string, sealed: Buffer): Promise<UpstreamHeaders> {
    const value = (await cipher.unseal(sealed, credentialContext(agentId, header))).toString();
    if (refusedCredential(header, value) === 'credential_too_short')
      throw new ShortCredentialError(`the credential of ${agentId} is too short`);
    return { headers: { [header]: value }, value };
  }

  return {
    /**
     * Replaces the credential of an agent for the origin of this endpoint; an empty key deletes it. Throws `Error` if
     * `refusedCredential` refuses the header or value; callers must check this first.
     */
    async store(tx: Db, at: AgentEndpoint, { header, key }: UpstreamAuth): Promise<void> {
      const { agentId } = at;
      if (key === '') return deleteCredential(tx, placeOf(at));
      const rule = refusedCredential(header, key);
      if (rule) throw new Error(`the credential cannot be sent in a header: ${rule}`);
      const name = header.toLowerCase();
      const sealed = await cipher.seal(Buffer.from(key), credentialContext(agentId, name));
      await writeCredential(tx, placeOf(at), { header: name, sealed, keyVersion: cipher.newest.version });
    },

    /** Deletes the credentials of an agent for the origins of all other endpoints. */
    keepOnly: (tx: Db, agentId: string, endpointUrls: readonly string[]): Promise<void> =>
      deleteOtherCredentials(tx, agentId, endpointUrls.map(originOf)),

    /** True if there is a credential for the endpoint of the agent's newest version. */
    async isSet(db: Db, agentId: string): Promise<boolean> {
      return (await agentsWithCredential(db, [agentId])).has(agentId);
    },

    /** Returns those of the given agents whose newest version has a credential. */
    areSet: (db: Db, agentIds: readonly string[]) => agentsWithCredential(db, agentIds),

    /**
     * The headers for a call to an agent at an endpoint, read for each call, so that a change takes effect at once.
     * Throws `SealedValueError` if the credential cannot be decrypted, `ShortCredentialError` if it is too short: an
     * agent must not be called without its credential.
     */
    async headersFor(at: AgentEndpoint): Promise<UpstreamHeaders> {
      const place = placeOf(at);
      const stored = await readCredential(pool, place);
      if (!stored) return NO_CREDENTIAL;
      const key = `${place.agentId} ${place.origin}`;
      const known = opened.get(key);
      if (known?.sealed.equals(stored.sealed) && stored.header in known.upstream.headers)
        return known.upstream;
      const upstream = await open(place.agentId, stored.header, stored.sealed);
      opened.set(key, { sealed: stored.sealed, upstream });
      return upstream;
    },
  };
}

const originOf = (url: string) => new URL(url).origin;
const placeOf = ({ agentId, endpointUrl }: AgentEndpoint) => ({ agentId, origin: originOf(endpointUrl) });

export type UpstreamCredentials = ReturnType<typeof createUpstreamCredentials>;

/** True if an agent must not be called, because one of its secrets cannot be decrypted or is too short. */
export function isUnusableSecret(error: unknown): boolean {
  return error instanceof SealedValueError || error instanceof ShortCredentialError;
}

/** The sealing context of a credential. It binds the value to its agent and header. */
export function credentialContext(agentId: string, header: string): Record<string, string> {
  return { purpose: 'upstream-credential', agent_id: agentId, header };
}

interface RegistrationCredentialDeps {
  credentials: Pick<UpstreamCredentials, 'store' | 'keepOnly'>;
}

/**
 * Requires the credential again when the endpoint moves to another host: a stored credential must not be sent to a new
 * host by someone who does not know it.
 */
export function requireSameOrigin(current: Registration, changed: Registration): void {
  const [from, to] = [current, changed].map((registration) => originOf(endpointOf(registration).endpointUrl));
  if (from === to) return;
  const msg = 'must be given again when the endpoint moves to another host, or cleared with an empty key';
  throw refusalOf([{ loc: ['body', 'upstream_auth', 'key'], msg, type: 'required' }]);
}

export async function storeCredential(
  { credentials }: RegistrationCredentialDeps,
  tx: Db,
  agentId: string,
  registration: Registration,
  credential: UpstreamAuth | undefined,
): Promise<void> {
  if (credential) await credentials.store(tx, { agentId, ...endpointOf(registration) }, credential);
}

const endpointOf = (registration: Registration) => ({ endpointUrl: registration.access_config.endpoint_url });

/**
 * Stores the credential for the endpoint of the version that was made. The serving version keeps its own for as long as
 * it serves. A credential for an endpoint that the agent once left is not used again when the agent returns to it.
 */
export async function moveCredential(
  deps: RegistrationCredentialDeps,
  tx: Db,
  agentId: string,
  moved: {
    before: RegistrationDocument;
    serving: RegistrationDocument | undefined;
    made: RegistrationDocument;
    credential: UpstreamAuth | undefined;
  },
): Promise<void> {
  const endpoints = [moved.serving, moved.before].flatMap((document) =>
    document ? [endpointOf(registrationOf(document)).endpointUrl] : [],
  );
  const { credentials } = deps;
  await credentials.keepOnly(tx, agentId, endpoints);
  const made = registrationOf(moved.made);
  await storeCredential(deps, tx, agentId, made, moved.credential);
  await credentials.keepOnly(tx, agentId, [
    endpointOf(made).endpointUrl,
    ...endpoints.slice(0, moved.serving ? 1 : 0),
  ]);
}

/**
 * The secret that the service sends to a self-hosted agent, so that the agent knows who calls (specification,
 * "upstream_auth"). It lies sealed for its agent and header, is opened only where the header is added, and is taken out
 * of whatever the agent sends back (src/services/calls/agent/echo-guard.ts). It never leaves this process but to the agent.
 */
import { refusedCredential } from '../../egress/header-rules';
import type { Cipher } from '../../kit/crypto/cipher';
import { createSecret, type Secret } from '../../kit/masking/masking';
import type { Db } from '../../stores/db';
import {
  agentsWithCredential,
  deleteCredential,
  readCredential,
  writeCredential,
} from '../../stores/catalogue/upstream-credentials';

/** As in a registration: `upstream_auth`. */
export interface UpstreamAuth {
  /** Any header name that is safe to send (src/egress/header-rules.ts). */
  header: string;
  /** The value; empty: no credential. */
  key: string;
}

export interface UpstreamHeaders {
  /** To be sent with every request to the agent; empty when it has no credential. */
  headers: Readonly<Record<string, string>>;
  /** Finds the value in what the agent sends back; null when there is none. */
  secret: Secret | null;
  /** Puts a mask in the place of the value, in all of its forms. */
  mask: Secret['mask'];
}

const MAX_OPENED = 1_000;
const unmasked = ((value: string | Buffer) => value) as Secret['mask'];
/** Of an agent that has none, such as every agent with a manifest. */
export const NO_CREDENTIAL: UpstreamHeaders = { headers: {}, secret: null, mask: unmasked };

export function createUpstreamCredentials(deps: { pool: Db; cipher: Cipher }) {
  const { pool, cipher } = deps;
  const opened = new Map<string, { sealed: Buffer; upstream: UpstreamHeaders }>();

  async function open(agentId: string, header: string, sealed: Buffer): Promise<UpstreamHeaders> {
    const value = (await cipher.open(sealed, credentialContext(agentId, header))).toString();
    const secret = createSecret(value);
    return { headers: { [header]: value }, secret, mask: secret.mask };
  }

  return {
    /**
     * Replaces the agent's credential; an empty key clears it. Throws for a header or value that
     * `refusedCredential` refuses: whoever asks has to say so first.
     */
    async store(tx: Db, agentId: string, { header, key }: UpstreamAuth): Promise<void> {
      if (key === '') return deleteCredential(tx, agentId);
      const rule = refusedCredential(header, key);
      if (rule) throw new Error(`a credential that may not be sent: ${rule}`);
      const name = header.toLowerCase();
      const sealed = await cipher.seal(Buffer.from(key), credentialContext(agentId, name));
      await writeCredential(tx, agentId, { header: name, sealed, keyVersion: cipher.newest.version });
    },

    async isSet(db: Db, agentId: string): Promise<boolean> {
      return (await agentsWithCredential(db, [agentId])).has(agentId);
    },

    /** Of these agents, those that have a credential. */
    areSet: (db: Db, agentIds: readonly string[]) => agentsWithCredential(db, agentIds),

    /**
     * What to send to an agent, read at each call, so that a change counts at once. Throws when the value does not
     * open: an agent is never called without the credential that it wants.
     */
    async headersFor(agentId: string): Promise<UpstreamHeaders> {
      const stored = await readCredential(pool, agentId);
      if (!stored) return NO_CREDENTIAL;
      const known = opened.get(agentId);
      if (known?.sealed.equals(stored.sealed) && stored.header in known.upstream.headers)
        return known.upstream;
      const upstream = await open(agentId, stored.header, stored.sealed);
      if (opened.size >= MAX_OPENED) opened.clear();
      opened.set(agentId, { sealed: stored.sealed, upstream });
      return upstream;
    },
  };
}

export type UpstreamCredentials = ReturnType<typeof createUpstreamCredentials>;

/** The context under which a credential is sealed: neither its agent nor its header can be exchanged. */
export function credentialContext(agentId: string, header: string): Record<string, string> {
  return { purpose: 'upstream-credential', agent_id: agentId, header };
}

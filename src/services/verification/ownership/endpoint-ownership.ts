/**
 * Proof that the owner of a registered agent controls the host of its endpoint (ADR 0208). Any developer can register
 * any public address, so verification calls an address without a proof a few times and not again. A proof belongs to
 * the agent and the origin of the endpoint.
 *
 * The token is an HMAC of the endpoint's URL with the agent's own secret. So an endpoint that repeats a part of its
 * URL, as public echo services do, cannot answer with its own token: a URL that contains a token has another one.
 */
import { createHmac } from 'node:crypto';
import { MarketError } from '../../../domain/errors';
import {
  hasTokenLine,
  PROOF_HEADER,
  PROOF_METHODS,
  type ProofMethod,
  type ProofPlaces,
  proofPlaces,
} from '../../../domain/catalogue/ownership';
import { isLoopback } from '../../../egress/url-rules';
import type { Egress, EgressRequest } from '../../../egress/agent-call';
import { EgressError } from '../../../egress/egress-error';
import type { Cipher } from '../../../kit/crypto/cipher';
import { readHighestVersion } from '../../../stores/catalogue/agent-versions';
import { type AgentRow, readAgent } from '../../../stores/catalogue/agents';
import { insertProof, readProof } from '../../../stores/catalogue/endpoint-proofs';
import type { Db } from '../../../stores/db';
import { unsealAgentSecrets } from '../../catalogue/signing-secret';

export interface EndpointOwnershipDeps {
  pool: Db;
  cipher: Pick<Cipher, 'unseal'>;
  egress: Pick<Egress, 'post' | 'notify' | 'texts'>;
}

/** A registered agent at the endpoint of one of its versions. */
export interface OwnedEndpoint {
  agentId: string;
  endpointUrl: string;
  sealedSigningSecret: Buffer;
}

/** As the owner of the agent sees it. `loopback`: an address of this machine, which needs no proof. */
export interface Ownership {
  host: string;
  token: string;
  places: ProofPlaces;
  proof: { method: ProofMethod | 'loopback'; provenAt: Date | null } | null;
}

const LOOK_MS = 5_000;
const MOST_FILE_BYTES = 64 * 1_024;
const TOKEN_PREFIX = 'amp_';

export function createEndpointOwnership(deps: EndpointOwnershipDeps) {
  const { pool } = deps;

  /** True if a proof of the endpoint's origin was found before, or none is needed. Sends nothing. */
  async function isProven({ agentId, endpointUrl }: Omit<OwnedEndpoint, 'sealedSigningSecret'>) {
    const { origin, hostname } = new URL(endpointUrl);
    return isLoopback(hostname) || (await readProof(pool, agentId, origin)) !== undefined;
  }

  return {
    isProven,

    /**
     * Looks for a proof of the endpoint's origin, unless one was found before. Sends at most two requests to the host,
     * and follows no redirect. The agent's failures are no errors.
     */
    async prove(at: OwnedEndpoint, signal: AbortSignal): Promise<boolean> {
      if (await isProven(at)) return true;
      const token = await tokenOf(deps, at);
      const url = new URL(at.endpointUrl);
      for (const method of PROOF_METHODS) {
        if (!(await LOOKUPS[method](deps.egress, { ...proofPlaces(url), url: url.href, token, signal })))
          continue;
        await insertProof(pool, { agentId: at.agentId, origin: url.origin, method });
        return true;
      }
      return false;
    },

    /**
     * Ownership of the newest version's endpoint; null for an agent with a manifest. Throws `not_found` without an
     * agent.
     */
    async of(agentId: string): Promise<Ownership | null> {
      const agent = await readAgent(pool, agentId);
      if (!agent) throw new MarketError('not_found');
      return agent.kind === 'manifest' ? null : ownershipOf(deps, agent);
    },
  };
}

export type EndpointOwnership = ReturnType<typeof createEndpointOwnership>;

async function ownershipOf(deps: EndpointOwnershipDeps, agent: AgentRow): Promise<Ownership> {
  const version = await readHighestVersion(deps.pool, agent.slug);
  if (!version) throw new Error(`agent ${agent.agentId} has no version`);
  const { endpointUrl } = version;
  const url = new URL(endpointUrl);
  const proof = isLoopback(url.hostname)
    ? { method: 'loopback' as const, provenAt: null }
    : ((await readProof(deps.pool, agent.agentId, url.origin)) ?? null);
  return {
    host: url.host,
    token: await tokenOf(deps, { ...agent, endpointUrl }),
    places: proofPlaces(url),
    proof,
  };
}

async function tokenOf(
  { cipher }: Pick<EndpointOwnershipDeps, 'cipher'>,
  { agentId, endpointUrl, sealedSigningSecret }: OwnedEndpoint,
): Promise<string> {
  const { first } = await unsealAgentSecrets(cipher, { agentId, sealedSigningSecret });
  const mac = createHmac('sha256', first)
    .update(`ownership of ${new URL(endpointUrl).href}`)
    .digest();
  return `${TOKEN_PREFIX}${mac.toString('base64url')}`;
}

interface Lookup extends ProofPlaces {
  url: string;
  token: string;
  signal: AbortSignal;
}

const LOOKUPS: Record<
  ProofMethod,
  (egress: EndpointOwnershipDeps['egress'], lookup: Lookup) => Promise<boolean>
> = {
  async file(egress, { fileUrl, token, signal }) {
    const answer = await egress.post(getOf(fileUrl, signal)).catch(withoutAnswer);
    return answer?.status === 200 && hasTokenLine(answer.body.toString(), token);
  },
  async dns(egress, { dnsName, token }) {
    return dnsName !== null && (await egress.texts(dnsName)).some((text) => text.trim() === token);
  },
  async header(egress, { url, token, signal }) {
    const answer = await egress.notify(getOf(url, signal)).catch(withoutAnswer);
    return answer?.header(PROOF_HEADER.toLowerCase())?.trim() === token;
  },
};

function getOf(url: string, signal: AbortSignal): EgressRequest {
  const deadlineMs = Date.now() + LOOK_MS;
  return {
    url,
    method: 'GET',
    headers: { accept: '*/*' },
    signal,
    deadlineMs,
    maxResponseBytes: MOST_FILE_BYTES,
  };
}

/** A server that fails proves nothing. */
function withoutAnswer(error: unknown): undefined {
  if (error instanceof EgressError && error.kind !== 'aborted') return undefined;
  throw error;
}

/**
 * Proof that the owner of an agent controls the host of its endpoint (ADR 0208, ADR 0416). Any developer can name any
 * public address, so verification calls an address without a proof a few times and not again. A proof belongs to the
 * agent and the origin of the endpoint.
 *
 * The token is an HMAC of the endpoint's URL with the agent's own secret. So an endpoint that repeats a part of its
 * URL, as public echo services do, cannot answer with its own token: a URL that contains a token has another one.
 */
import { createHmac } from 'node:crypto';
import { MarketError } from '../../../domain/errors';
import {
  hasTokenLine,
  namesAnotherOwner,
  type OwnershipState,
  PROOF_DAYS,
  PROOF_HEADER,
  PROOF_METHODS,
  type ProofMethod,
  type ProofPlaces,
  proofPlaces,
} from '../../../domain/catalogue/ownership';
import { isLoopback } from '../../../egress/url-rules';
import type { Egress, EgressRequest } from '../../../egress/agent-call';
import type { Cipher } from '../../../kit/crypto/cipher';
import { readHighestVersion } from '../../../stores/catalogue/agent-versions';
import { type AgentKind, type AgentRow, readAgent } from '../../../stores/catalogue/agents';
import { deleteProof, putProof, readOwnerId, readProof } from '../../../stores/catalogue/endpoint-proofs';
import type { Db } from '../../../stores/db';
import { unsealAgentSecrets } from '../../catalogue/signing-secret';
import { answersChallenge, withoutAnswer } from './ownership-challenge';

export interface EndpointOwnershipDeps {
  pool: Db;
  cipher: Pick<Cipher, 'unseal'>;
  egress: Pick<Egress, 'post' | 'notify' | 'texts'>;
}

/** An agent at the endpoint of one of its versions. */
export interface OwnedEndpoint {
  agentId: string;
  kind: AgentKind;
  endpointUrl: string;
  sealedSigningSecret: Buffer;
}

/** As the owner of the agent sees it. `loopback`: an address of this machine, which needs no proof. */
export interface Ownership {
  host: string;
  token: string;
  places: ProofPlaces;
  proof: { method: ProofMethod | 'loopback'; provenAt: Date | null; checkedAt: Date | null } | null;
}

const LOOK_MS = 5_000;
const MOST_FILE_BYTES = 64 * 1_024;
const TOKEN_PREFIX = 'amp_';

export function createEndpointOwnership(deps: EndpointOwnershipDeps) {
  const { pool } = deps;

  /** True if a proof of the endpoint's origin was found before, or none is needed. Sends nothing. */
  async function isProven({ agentId, endpointUrl }: Pick<OwnedEndpoint, 'agentId' | 'endpointUrl'>) {
    const { origin, hostname } = new URL(endpointUrl);
    return isLoopback(hostname) || (await readProof(pool, agentId, origin)) !== undefined;
  }

  return {
    isProven,

    /**
     * Looks for a proof of the endpoint's origin, unless one was found within a day. A proof that is not found again
     * ends, if it was last found more than 30 days ago. Sends at most three requests to the host, and follows no
     * redirect. The agent's failures are no errors.
     */
    async prove(at: OwnedEndpoint, signal: AbortSignal): Promise<OwnershipState> {
      const { agentId } = at;
      const { origin, hostname } = new URL(at.endpointUrl);
      if (isLoopback(hostname)) return 'proven';
      const known = await readProof(pool, agentId, origin);
      if (known && known.ageDays < PROOF_DAYS.fresh) return 'proven';
      const found = await look(deps, at, signal);
      if (found !== null && found !== 'refused') {
        await putProof(pool, { agentId, origin, method: found });
        return 'proven';
      }
      if (found === null && known && known.ageDays < PROOF_DAYS.holds) return 'proven';
      if (known) await deleteProof(pool, agentId, origin);
      return found ?? 'unproven';
    },

    /** Ownership of the newest version's endpoint; null without a version. Throws `not_found` without an agent. */
    async of(agentId: string): Promise<Ownership | null> {
      const agent = await readAgent(pool, agentId);
      if (!agent) throw new MarketError('not_found');
      return ownershipOf(deps, agent);
    },
  };
}

export type EndpointOwnership = ReturnType<typeof createEndpointOwnership>;

async function ownershipOf(deps: EndpointOwnershipDeps, agent: AgentRow): Promise<Ownership | null> {
  const version = await readHighestVersion(deps.pool, agent.slug);
  if (!version) return null;
  const { endpointUrl } = version;
  const url = new URL(endpointUrl);
  const proof = isLoopback(url.hostname)
    ? { method: 'loopback' as const, provenAt: null, checkedAt: null }
    : ((await readProof(deps.pool, agent.agentId, url.origin)) ?? null);
  return {
    host: url.host,
    token: await tokenOf(deps, { ...agent, endpointUrl }),
    places: proofPlaces(url, agent.kind === 'manifest'),
    proof,
  };
}

async function tokenOf(
  { cipher }: Pick<EndpointOwnershipDeps, 'cipher'>,
  { agentId, endpointUrl, sealedSigningSecret }: Omit<OwnedEndpoint, 'kind'>,
): Promise<string> {
  const { first } = await unsealAgentSecrets(cipher, { agentId, sealedSigningSecret });
  const mac = createHmac('sha256', first)
    .update(`ownership of ${new URL(endpointUrl).href}`)
    .digest();
  return `${TOKEN_PREFIX}${mac.toString('base64url')}`;
}

interface Lookup extends ProofPlaces {
  at: OwnedEndpoint;
  url: string;
  token: string;
  /** The file at the root of the origin; null if there is none. */
  file: string | null;
  signal: AbortSignal;
}

/** The first proof that is found; null for none. */
async function look(
  deps: EndpointOwnershipDeps,
  at: OwnedEndpoint,
  signal: AbortSignal,
): Promise<ProofMethod | 'refused' | null> {
  const url = new URL(at.endpointUrl);
  const places = proofPlaces(url, at.kind === 'manifest');
  const answer = await deps.egress.post(getOf(places.fileUrl, signal)).catch(withoutAnswer);
  const file = answer?.status === 200 ? answer.body.toString() : null;
  if (file !== null && namesAnotherOwner(file, await readOwnerId(deps.pool, at.agentId))) return 'refused';
  const lookup = { ...places, at, url: url.href, token: await tokenOf(deps, at), file, signal };
  for (const method of PROOF_METHODS) if (await LOOKUPS[method](deps, lookup)) return method;
  return null;
}

const LOOKUPS: Record<ProofMethod, (deps: EndpointOwnershipDeps, lookup: Lookup) => Promise<boolean>> = {
  async challenge(deps, { at, challengeUrl, signal }) {
    return challengeUrl !== null && answersChallenge(deps, at, challengeUrl, signal);
  },
  file: (_deps, { file, token }) => Promise.resolve(file !== null && hasTokenLine(file, token)),
  async dns({ egress }, { dnsName, token }) {
    return dnsName !== null && (await egress.texts(dnsName)).some((text) => text.trim() === token);
  },
  async header({ egress }, { url, token, signal }) {
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

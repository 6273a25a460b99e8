/**
 * The AI Catalog: a list of what can be called here, for any kind of client. Each agent is an MCP server and, if other
 * agents may call it, an A2A agent. Only the texts are made here; `services/discovery` signs them (ADR 0349).
 */
import { agentPage, type MarketAddress, namespaceOf, shortened } from './market-address';
import { agentServer, marketServerJson, type ServerFacts, type ServerJson } from './server-json';

export const CATALOG_TYPE = 'application/ai-catalog+json';
const MCP_CARD = 'application/mcp-server-card+json';
const A2A_CARD = 'application/a2a-agent-card+json';
const MCP_CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';
/** Longest description of an entry, in characters. */
const LONGEST = 300;

export interface CatalogFacts extends ServerFacts {
  developerId: string;
  isA2aInvocable: boolean;
  updatedAt: Date;
}

/** What a trust manifest is about: the entry, by its content or its address. */
export interface TrustSubject {
  identifier: string;
  type: string;
  version?: string;
  digest?: string;
  url?: string;
}

/** A trust manifest before it is signed. */
export interface TrustClaims {
  contributor: string;
  subject: TrustSubject;
  attestations?: { type: string; uri: string; description: string }[];
  extensions?: Record<string, unknown>;
}

export interface CatalogEntry {
  identifier: string;
  type: string;
  displayName: string;
  description: string;
  tags?: string[];
  version?: string;
  updatedAt?: string;
  publisher?: { identifier: string; displayName: string };
  url?: string;
  data?: unknown;
  digest?: string;
  trustManifests?: unknown[];
}

/**
 * The identity that signs for the market, `did:web:market.example.com`. Undefined for an origin with a port, without
 * TLS or without a DNS name, which the profile `did-web-v1` of the specification does not have.
 */
export function didOf({ origin, hostname }: MarketAddress): string | undefined {
  const isDomain = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/.test(hostname);
  return isDomain && origin === `https://${hostname}` ? `did:web:${hostname}` : undefined;
}

/** The market's own server. Its identifier is that of a publisher, because the market publishes it. */
export function marketEntry(market: MarketAddress, version: string): CatalogEntry {
  const card = mcpCard(marketServerJson(market, version));
  return {
    identifier: `urn:air:${market.hostname}:mcp:market`,
    type: MCP_CARD,
    displayName: card.title,
    description: card.description,
    version,
    data: card,
  };
}

/** The entries of an agent. They are named below the market, because the developer is their publisher. */
export function agentEntries(market: MarketAddress, facts: CatalogFacts): CatalogEntry[] {
  const { origin } = market;
  const { agentId, version } = facts;
  const name = shortened(facts.displayName, LONGEST) || agentId;
  const common = {
    displayName: name,
    description: shortened(facts.description, LONGEST) || name,
    tags: [...facts.tags],
    version,
    updatedAt: facts.updatedAt.toISOString(),
    publisher: {
      identifier: `${origin}/v1/developers/${facts.developerId}`,
      displayName: facts.developerName,
    },
  };
  const page = agentPage(origin, agentId);
  const card = mcpCard(agentServer(market, facts));
  const mcp = { identifier: `${page}#mcp`, type: MCP_CARD, ...common, data: card };
  if (!facts.isA2aInvocable) return [mcp];
  const url = `${origin}/.well-known/agents/${agentId}/agent-card.json`;
  return [mcp, { identifier: `${page}#a2a`, type: A2A_CARD, ...common, url }];
}

/** A further page of the catalog, with the agents behind `after`. */
export function pageEntry({ origin }: MarketAddress, after: string): CatalogEntry {
  const url = `${origin}/v1/ai-catalog/${after}`;
  return {
    identifier: url,
    type: CATALOG_TYPE,
    displayName: `Agents behind ${after}`,
    description: 'A further page of this catalog',
    url,
  };
}

/** What the market says about an entry of an agent: how its verification ended. */
export function claimsOf(
  market: MarketAddress,
  contributor: string,
  { identifier, type, version, digest, url }: CatalogEntry,
  agent?: CatalogFacts,
): TrustClaims {
  const subject = {
    identifier,
    type,
    ...(version !== undefined && { version }),
    ...(digest === undefined ? { ...(url !== undefined && { url }) } : { digest }),
  };
  if (!agent) return { contributor, subject };
  const { agentId, badge, trustScore } = agent;
  const score = trustScore === null ? 'not scored' : `score ${trustScore} of 100`;
  return {
    contributor,
    subject,
    attestations: [
      {
        type: 'trust-report',
        uri: `${market.origin}/v1/agents/${agentId}/trust-report`,
        description: `How the agent was verified: ${score}, badge ${badge ?? 'none'}`,
      },
    ],
    extensions: { [`${namespaceOf(market.hostname)}.verification`]: { trust_score: trustScore, badge } },
  };
}

/** The operator of the catalog. */
export function hostInfo(market: MarketAddress) {
  const did = didOf(market);
  return {
    displayName: 'Agent marketplace',
    ...(did !== undefined && { identifier: did }),
    documentationUrl: `${market.origin}/docs/`,
  };
}

/** The DID document of the market: all published keys, of which the active one signs. */
export function didDocument(
  did: string,
  keys: readonly { kid: string; kty: 'EC'; crv: 'P-256'; x: string; y: string }[],
  activeKid: string,
) {
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id: did,
    verificationMethod: keys.map(({ kid, kty, crv, x, y }) => ({
      id: `${did}#${kid}`,
      type: 'JsonWebKey2020' as const,
      controller: did,
      publicKeyJwk: { kty, crv, x, y, alg: 'ES256' as const, use: 'sig' as const },
    })),
    assertionMethod: [`${did}#${activeKid}`],
  };
}

/** A server card of MCP: a `server.json` without packages, in its own release. */
const mcpCard = (server: ServerJson) => ({ ...server, $schema: MCP_CARD_SCHEMA });

/**
 * `server.json` of the MCP registry: how a directory of MCP servers describes one. Each agent is a server of the
 * market, and the market is one more (ADR 0348).
 */
import type { Pricing } from '../catalogue/manifest';
import type { NextPrice } from '../prices/price-words';
import { agentPage, type MarketAddress, namespaceOf, shortened } from './market-address';

/** The release of the format that the documents below have. */
const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
/** Longest title and description of the format, in characters. */
const LONGEST = 100;
const LONGEST_ICON = 255;
/** The member that the format leaves to the publisher of a server. */
const PUBLISHED = 'io.modelcontextprotocol.registry/publisher-provided';

/** What the market's own server is called behind the namespace. No agent has this id. */
export const MARKET_SERVER = 'market';
/** The version of the market's own server, which is that of its tools. */
export const MARKET_VERSION = '1.0.0';

/** The facts about a listed agent that directories read. */
export interface ServerFacts {
  agentId: string;
  displayName: string;
  description: string;
  version: string;
  category: string;
  tags: readonly string[];
  developerName: string;
  badge: string | null;
  trustScore: number | null;
  pricing: Pricing;
  nextPrice: NextPrice | null;
  iconUrl: string | null;
}

/** The name of a server in the registry: `com.example.market/agt_unit_converter_v1`. */
export function serverName({ hostname }: MarketAddress, id: string): string {
  return `${namespaceOf(hostname)}/${id}`;
}

/** The server of an agent. It has no `headers`: clients learn from its 401 how to sign in. */
export function agentServer(market: MarketAddress, facts: ServerFacts) {
  const { agentId, displayName, iconUrl } = facts;
  const title = shortened(displayName, LONGEST) || agentId;
  const hasIcon = iconUrl !== null && iconUrl.startsWith('https://') && iconUrl.length <= LONGEST_ICON;
  return {
    $schema: SCHEMA,
    name: serverName(market, agentId),
    title,
    description: shortened(facts.description, LONGEST) || title,
    version: facts.version,
    websiteUrl: agentPage(market.origin, agentId),
    ...(hasIcon && { icons: [{ src: iconUrl }] }),
    remotes: [{ type: 'streamable-http', url: `${market.origin}/mcp/a/${agentId}` }],
    _meta: {
      [PUBLISHED]: {
        agent_id: agentId,
        category: facts.category,
        tags: [...facts.tags],
        developer: facts.developerName,
        badge: facts.badge,
        trust_score: facts.trustScore,
        pricing: facts.pricing,
        ...(facts.nextPrice && {
          next_pricing: facts.nextPrice.pricing,
          price_effective_at: facts.nextPrice.effectiveAt.toISOString(),
        }),
        trust_report: `${market.origin}/v1/agents/${agentId}/trust-report`,
      },
    },
  };
}

/** The server of the whole market. */
export function marketServerJson(market: MarketAddress, version: string) {
  const { origin } = market;
  return {
    $schema: SCHEMA,
    name: serverName(market, MARKET_SERVER),
    title: 'Agent marketplace',
    description: 'Finds, describes and calls every agent of the marketplace; a call that fails costs nothing',
    version,
    websiteUrl: `${origin}/`,
    remotes: [{ type: 'streamable-http', url: `${origin}/mcp` }],
    _meta: { [PUBLISHED]: {} },
  };
}

export type ServerJson = ReturnType<typeof agentServer> | ReturnType<typeof marketServerJson>;

import type { MarketAddress } from '../../domain/discovery/market-address';
import {
  agentServer,
  MARKET_SERVER,
  MARKET_VERSION,
  marketServerJson,
  serverName,
  type ServerJson,
} from '../../domain/discovery/server-json';
import { MarketError } from '../../domain/errors';
import type { Db } from '../../stores/db';
import { type ListedAgent, listListedAgents, readListedAgent } from '../../stores/catalogue/listed-agents';

/** A server of the registry, with when it was published and changed. */
export interface RegistryServer {
  /** The id of an agent, or `market`. */
  id: string;
  server: ServerJson;
  publishedAt: Date;
  updatedAt: Date;
}

export interface RegistrySearch {
  /** A part of the name. */
  search?: string | undefined;
  updatedSince?: Date | undefined;
  /** `latest`, or the number of a version. */
  version?: string | undefined;
}

const LATEST = 'latest';

/**
 * The MCP registry of this market: the market's own server, then one server for each listed agent, in the order of
 * their ids. A server has one version, the serving one, because its address calls no other (ADR 0348). Agents that
 * search does not list are not there.
 */
export function createMcpRegistry(deps: { reads: Db; market: MarketAddress; startedAt?: Date }) {
  const { reads, market, startedAt = new Date() } = deps;
  const own: RegistryServer = {
    id: MARKET_SERVER,
    server: marketServerJson(market, MARKET_VERSION),
    publishedAt: startedAt,
    updatedAt: startedAt,
  };
  const prefix = serverName(market, '');

  const isOwnFound = ({ search = '', updatedSince, version = LATEST }: RegistrySearch) =>
    own.server.name.toLowerCase().includes(search.toLowerCase()) &&
    (!updatedSince || own.updatedAt >= updatedSince) &&
    (version === LATEST || version === MARKET_VERSION);

  return {
    /** Up to `limit` servers behind the one with the id `after`. */
    async list(filter: RegistrySearch, after: string | undefined, limit: number): Promise<RegistryServer[]> {
      const first = after === undefined && isOwnFound(filter) ? [own] : [];
      const { search, updatedSince, version } = filter;
      const agents = await listListedAgents(reads, {
        after: after === undefined || after === MARKET_SERVER ? '' : after,
        limit: limit - first.length,
        updatedSince,
        ...(search !== undefined && { search: { prefix, text: search } }),
        ...(version !== LATEST && { version }),
      });
      return [...first, ...agents.map((agent) => serverOf(market, agent))];
    },

    /** The version of a server. Throws `not_found` for every name and version that the list does not have. */
    async get(name: string, version: string): Promise<RegistryServer> {
      const found = name.startsWith(prefix) ? await readServer(name.slice(prefix.length)) : undefined;
      if (!found || (version !== LATEST && version !== found.server.version))
        throw new MarketError('not_found');
      return found;
    },
  };

  async function readServer(id: string): Promise<RegistryServer | undefined> {
    if (id === MARKET_SERVER) return own;
    const agent = await readListedAgent(reads, id);
    return agent && serverOf(market, agent);
  }
}

export type McpRegistry = ReturnType<typeof createMcpRegistry>;

function serverOf(market: MarketAddress, agent: ListedAgent): RegistryServer {
  const { pricing, icon_url: iconUrl } = agent.publicPart;
  return {
    id: agent.agentId,
    server: agentServer(market, { ...agent, pricing, iconUrl }),
    publishedAt: agent.liveAt,
    updatedAt: agent.updatedAt,
  };
}

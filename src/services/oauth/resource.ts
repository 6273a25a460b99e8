const MARKET_PATH = '/mcp';
/** The addresses of an agent that take access tokens: its MCP endpoint, and the base of its A2A endpoints. */
const AGENT_PATHS = { mcp: '/mcp/a/', a2a: '/v1/a2a/' } as const;
const AGENT_ID = /^agt_[a-z0-9_]{1,86}_v[0-9]{1,6}$/;

/** Whose endpoints a grant is for: an agent's, by either protocol, or those of the market (null). */
export type Audience = string | null;
export type TokenProtocol = keyof typeof AGENT_PATHS;

/** The resource indicator (RFC 8707) of the endpoint of an agent or of the market. */
export function resourceOf(origin: string, audience: Audience, protocol: TokenProtocol = 'mcp'): string {
  return audience === null ? `${origin}${MARKET_PATH}` : `${origin}${AGENT_PATHS[protocol]}${audience}`;
}

/**
 * Whose endpoints a resource indicator names; undefined for any other resource. Both addresses of an agent name the
 * same audience.
 */
export function audienceOfResource(origin: string, resource: string): Audience | undefined {
  const named = resource.replace(/\/$/, '');
  if (named === resourceOf(origin, null)) return null;
  const prefix = Object.values(AGENT_PATHS)
    .map((path) => `${origin}${path}`)
    .find((address) => named.startsWith(address));
  if (prefix === undefined) return undefined;
  const agentId = named.slice(prefix.length);
  return AGENT_ID.test(agentId) ? agentId : undefined;
}

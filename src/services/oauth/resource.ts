const MARKET_PATH = '/mcp';
const AGENT_PATH = '/mcp/a/';
const AGENT_ID = /^agt_[a-z0-9_]{1,86}_v[0-9]{1,6}$/;

/** Whose MCP endpoint a grant is for: an agent's, or that of the market (null). */
export type Audience = string | null;

/** The resource indicator (RFC 8707) of the MCP endpoint of an agent or of the market. */
export function resourceOf(origin: string, audience: Audience): string {
  return audience === null ? `${origin}${MARKET_PATH}` : `${origin}${AGENT_PATH}${audience}`;
}

/** Whose MCP endpoint a resource indicator names; undefined for any other resource. */
export function audienceOfResource(origin: string, resource: string): Audience | undefined {
  const named = resource.replace(/\/$/, '');
  if (named === resourceOf(origin, null)) return null;
  const prefix = resourceOf(origin, '');
  if (!named.startsWith(prefix)) return undefined;
  const agentId = named.slice(prefix.length);
  return AGENT_ID.test(agentId) ? agentId : undefined;
}

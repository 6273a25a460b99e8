const PATH = '/mcp/a/';
const AGENT_ID = /^agt_[a-z0-9_]{1,86}_v[0-9]{1,6}$/;

/** The resource indicator (RFC 8707) of an agent's MCP endpoint. */
export function resourceOf(origin: string, agentId: string): string {
  return `${origin}${PATH}${agentId}`;
}

/** The agent whose MCP endpoint a resource indicator names; undefined for any other resource. */
export function agentOfResource(origin: string, resource: string): string | undefined {
  const prefix = resourceOf(origin, '');
  if (!resource.startsWith(prefix)) return undefined;
  const agentId = resource.slice(prefix.length).replace(/\/$/, '');
  return AGENT_ID.test(agentId) ? agentId : undefined;
}

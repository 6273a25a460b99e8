/**
 * Addresses of the pages of MCP Apps at the market's own server (ADR 0360). Servers of agents choose their `ui://`
 * addresses freely, so there each has the id of its agent in front: `ui://agt_maps_v1/card.html`.
 */
const SCHEME = 'ui://';
const AT_MARKET = /^ui:\/\/(agt_[a-z0-9_]{1,91}_v[0-9]{1,10})\/(.+)$/s;

/** The address of an agent's page at the market. Other addresses stay as they are. */
export const pageAtMarket = (agentId: string, uri: string): string =>
  uri.startsWith(SCHEME) ? `${SCHEME}${agentId}/${uri.slice(SCHEME.length)}` : uri;

/** The agent of an address at the market, and the address at the agent's server; undefined for any other address. */
export function pageOfAgent(uri: string): { agentId: string; uri: string } | undefined {
  const [, agentId, rest] = AT_MARKET.exec(uri) ?? [];
  return agentId === undefined || rest === undefined ? undefined : { agentId, uri: `${SCHEME}${rest}` };
}

/** What a tool says of its page (`_meta.ui`, and the key that came before it). */
export interface ToolPage {
  /** The address of the page; undefined if the tool has none. */
  uri: string | undefined;
  /** Only pages may call the tool: it is not for models. */
  isForPagesOnly: boolean;
}

export function pageOfTool(meta: Readonly<Record<string, unknown>>): ToolPage {
  const ui = (meta['ui'] ?? {}) as { resourceUri?: unknown; visibility?: unknown };
  const uri = ui.resourceUri ?? meta['ui/resourceUri'];
  const { visibility } = ui;
  return {
    uri: typeof uri === 'string' && uri.startsWith(SCHEME) ? uri : undefined,
    isForPagesOnly: Array.isArray(visibility) && !visibility.includes('model'),
  };
}

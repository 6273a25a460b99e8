/**
 * Resources at the market's own server (ADR 0360): the pages of MCP Apps, each at the address of its agent. They are
 * read from the agent's server, free of charge, by the rules of the server of that agent.
 */
import { pageAtMarket, pageOfAgent } from '../../../domain/calls/page-address';
import { MarketError } from '../../../domain/errors';
import type { ApiKeys } from '../../../services/accounts/api-keys';
import type { ServingVersion, ServingVersions } from '../../../services/catalogue/serving-version-cache';
import { type FeatureDeps, passOn } from '../features';
import type { McpExchange } from '../wire/mcp-request';
import { McpFault, RPC } from '../wire/protocol';
import { plainResult } from '../wire/results';

export interface ResourceDeps extends FeatureDeps {
  servingVersions: ServingVersions;
  apiKeys: Pick<ApiKeys, 'limitsOf'>;
}

/** Pages are named by the tools that have them, and in no list. */
export const listNone =
  (member: 'resources' | 'resourceTemplates') =>
  (_deps: unknown, { id, era, message, server, reply }: McpExchange): void => {
    if (message.params['cursor'] !== undefined)
      throw new McpFault(RPC.invalidParams, 'This list has one page: there is no such cursor.');
    reply.result(id, plainResult(era, server.identity, [`"${member}":[]`], true));
  };

export async function readPage(deps: ResourceDeps, request: McpExchange): Promise<void> {
  const { message } = request;
  const { uri } = message.params;
  if (typeof uri !== 'string') throw new McpFault(RPC.invalidParams, 'params.uri must be text.');
  const page = pageOfAgent(uri);
  if (!page) throw new McpFault(RPC.invalidParams, UNKNOWN);
  const version = await versionOf(deps, request, page.agentId);
  const params = { ...message.params, uri: page.uri };
  await passOn(deps, { ...request, version, message: { ...message, params } }, (address) =>
    pageAtMarket(page.agentId, address),
  );
}

const UNKNOWN =
  'No such resource. This server has the pages of agents: ui://agt_…/…, as the tool of a pinned agent names it in _meta.ui.';

/** Throws `McpFault` (-32602) if the agent is not live, has no server, or is not one of the connection. */
async function versionOf(
  { servingVersions, apiKeys }: ResourceDeps,
  { principal: { key, userId } }: McpExchange,
  agentId: string,
): Promise<ServingVersion> {
  const limits = key ? await apiKeys.limitsOf(userId, key.keyId) : undefined;
  if (limits?.onlyAgents && !limits.onlyAgents.includes(agentId))
    throw new McpFault(
      RPC.invalidParams,
      'The agent of this page is not among the agents of this connection.',
    );
  const version = await servingVersions.ofAgent(agentId, userId).catch((error: unknown) => {
    if (!(error instanceof MarketError) || error.code !== 'not_found') throw error;
    return undefined;
  });
  if (version?.kind === 'mcp') return version;
  throw new McpFault(
    RPC.invalidParams,
    version ? UNKNOWN : 'The agent of this page does not exist, is suspended or was withdrawn.',
  );
}

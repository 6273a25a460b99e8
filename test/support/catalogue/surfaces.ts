/**
 * Requests to every surface that names an agent: each operation of the contract with an agent in its path, and those
 * that take one in another place. A new operation with an agent in its path is one of them without a change here.
 */
import type { Operation } from '../../../src/contract/operation';
import { operations } from '../../../src/contract/operations';
import type { TestMarket } from '../market';

export interface Named {
  agentId: string;
  slug: string;
  /** Of the developer of the agent. */
  developerId: string;
}

/** Headers of a caller: a session, a key, or none for a visitor. */
export type Caller = Record<string, string>;

export interface Seen {
  status: number;
  text: string;
  cache: string | null;
}

export interface Surface {
  name: string;
  ask: (market: Pick<TestMarket, 'url'>, caller: Caller, agent: Named) => Promise<Seen>;
}

const JSON_TYPE = { 'content-type': 'application/json' };

async function send(
  { url }: Pick<TestMarket, 'url'>,
  caller: Caller,
  [method, path, body]: [string, string, unknown?],
): Promise<Seen> {
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      accept: 'application/json, text/event-stream',
      'a2a-version': '1.0',
      ...caller,
      ...(body !== undefined && JSON_TYPE),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    text: await response.text(),
    cache: response.headers.get('cache-control'),
  };
}

const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const INPUT = { text: 'seen' };
const MESSAGE = { message: { messageId: 'one', role: 'ROLE_USER', parts: [{ text: 'seen' }] } };
const BODIES: Record<string, unknown> = {
  invokeAgent: { input: INPUT },
  quoteCall: { input: INPUT },
  mcpAgent: rpc('tools/list', {}),
  createTask: { input: INPUT, mandate: { chain: ['e30.e30.e30'] } },
  a2aRpc: rpc('SendMessage', MESSAGE),
  a2aSendMessage: MESSAGE,
  a2aStreamMessage: MESSAGE,
  setVisibility: { visibility: 'public' },
  addToAudience: { accounts: ['dev_nobody'] },
};

const bodyOf = ({ id, method, body, rawBody, examples }: Operation): unknown =>
  method === 'get' || method === 'delete' || (!body && !rawBody)
    ? undefined
    : (BODIES[id] ?? examples?.request ?? {});

const VALUES: Record<string, string> = {
  version: '1.0.0',
  finding_id: 'fnd_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  invocation_id: 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  request_id: 'acr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  task_id: 'tsk_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  account_id: 'usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
};

const ofPath: Surface[] = operations
  .filter(({ path, id }) => path.includes('{agent_id}') && !id.startsWith('oauth'))
  .map((operation) => ({
    name: operation.id,
    ask: (market, caller, { agentId }) => {
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        name === 'agent_id' ? agentId : (VALUES[name] ?? 'nothing'),
      );
      return send(market, caller, [operation.method.toUpperCase(), path, bodyOf(operation)]);
    },
  }));

type Request = [string, string, unknown?];
const tool = (name: string, args: object) => rpc('tools/call', { name, arguments: args });
const elsewhere: Record<string, (agent: Named) => Request> = {
  'listing by slug': ({ slug }) => ['GET', `/v1/listings/slug/${slug}`],
  'use of a slug': ({ slug, developerId }) => ['POST', `/v1/agents/${developerId}/${slug}/use`, INPUT],
  'model by id': ({ agentId }) => ['GET', `/v1/models/${agentId}`],
  'model by slug': ({ slug, developerId }) => ['GET', `/v1/models/${developerId}%2F${slug}`],
  completion: ({ agentId }) => ['POST', '/v1/chat/completions', chat(agentId)],
  'completion by slug': ({ slug, developerId }) => [
    'POST',
    '/v1/chat/completions',
    chat(`${developerId}/${slug}`),
  ],
  'describe_agent at the market': ({ agentId }) => [
    'POST',
    '/mcp',
    tool('describe_agent', { agent_id: agentId }),
  ],
  'call_agent at the market': ({ agentId }) => [
    'POST',
    '/mcp',
    tool('call_agent', { agent_id: agentId, input: INPUT, max_cost_credits: 10 }),
  ],
  'page of an agent at the market': ({ agentId }) => [
    'POST',
    '/mcp',
    rpc('resources/read', { uri: `ui://${agentId}/page` }),
  ],
  'webhook of an agent': ({ agentId }) => [
    'POST',
    '/v1/webhooks',
    { url: 'https://127.77.0.9/', types: ['trust_score.updated'], agent_id: agentId },
  ],
  'program of an agent': ({ agentId }) => [
    'POST',
    '/v1/oauth/grants',
    { name: 'Program', agent_id: agentId },
  ],
  'page of the console': ({ agentId }) => ['GET', `/console/agents/${agentId}`],
  'metadata of a resource': ({ agentId }) => [
    'GET',
    `/.well-known/oauth-protected-resource/mcp/a/${agentId}`,
  ],
  'slash of an agent': ({ agentId }) => [
    'POST',
    '/v1/operator/slashes',
    { agent_id: agentId, credits: 1, reason: 'A reason.', invocation_ids: [VALUES['invocation_id']] },
  ],
};

const chat = (model: string) => ({ model, messages: [{ role: 'user', content: 'seen' }] });

/** Every surface where an agent is named by its reader. */
export const SURFACES: Surface[] = [
  ...ofPath,
  ...Object.entries(elsewhere).map(([name, requestOf]) => ({
    name,
    ask: (market: Pick<TestMarket, 'url'>, caller: Caller, agent: Named) =>
      send(market, caller, requestOf(agent)),
  })),
];

/**
 * Surfaces that answer the same whether an agent exists or not, to its owner too: those of operators, those of things
 * in an agent of which there are none, and documents that name it after the request.
 */
export const ALIKE =
  /^(remove|endAccessLink|answerAccessRequest|getOperatorAgent|suspend|reinstate|listAgentFindings|waive|getAiCatalogPage|getAgentRegistration$|getAgentsSitemap|pollTask|a2a(ListTasks|Extended|Cancel|Subscribe|\w+Push)|page of the console|metadata|slash|acknowledge|contest|getRegistration|getAgentCall$)/;

/** Every list of the market that may name an agent, by a search for its name where it is a search. */
export const LISTS: Record<string, (agent: Named, words: string) => Request> = {
  'all listings': () => ['GET', '/v1/listings?limit=100&sort=newest'],
  'search by words': (_agent, words) => ['GET', `/v1/listings?q=${encodeURIComponent(words)}`],
  'search by nearly the words': (_agent, words) => [
    'GET',
    `/v1/listings?q=${encodeURIComponent(`${words}x`)}`,
  ],
  'search by slug': ({ slug }) => ['GET', `/v1/listings?q=${slug}`],
  'search by id': ({ agentId }) => ['GET', `/v1/listings?q=${agentId}`],
  'agents of a developer': ({ developerId }) => ['GET', `/v1/listings?developer_id=${developerId}`],
  models: () => ['GET', '/v1/models?limit=100'],
  'search_agents at the market': (_agent, words) => [
    'POST',
    '/mcp',
    tool('search_agents', { intent: words }),
  ],
  'MCP registry': () => ['GET', '/v0.1/servers?limit=100'],
  'MCP registry by text': ({ agentId }) => ['GET', `/v0.1/servers?search=${agentId}`],
  'AI catalogue': () => ['GET', '/.well-known/ai-catalog.json'],
  sitemap: () => ['GET', '/sitemap/agents.xml'],
};

export const askList = (
  market: Pick<TestMarket, 'url'>,
  caller: Caller,
  [request, agent, words]: [keyof typeof LISTS, Named, string],
): Promise<Seen> => send(market, caller, (LISTS[request] as (typeof LISTS)[string])(agent, words));

/** An answer without what differs from request to request and from name to name. */
export function withoutNames({ status, text }: Seen, { agentId, slug }: Named): string {
  const plain = text
    .replaceAll(agentId, 'AGENT')
    .replaceAll(slug, 'SLUG')
    .replaceAll(/[0-9a-f]{32}/g, 'ID')
    .replaceAll(/"(signature|nonce|[a-z_]*(_at|time|timestamp))":"[^"]*"/g, '"$1":""')
    .replaceAll(/nonce="[^"]+"/g, 'nonce');
  return `${status} ${plain}`;
}

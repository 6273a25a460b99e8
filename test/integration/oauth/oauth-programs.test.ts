/** Programs that get tokens by a secret of their own (ADR 0336): the official client of MCP, and plain HTTP. */
import { request as httpRequest } from 'node:http';
import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { originOf, post, registerClient, resourceOf, throughOrigin } from '../../support/accounts/oauth';
import { bearer } from '../../support/accounts/oauth-tokens';
import { request } from '../../support/catalogue/publishing';
import { putLive, register, type TestUser } from '../../support/market';
import { a2a } from '../../support/protocols/a2a';
import { legacy } from '../../support/protocols/mcp';
import { use } from '../../support/protocols/market-mcp';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket();
const agent = useAgent();
let buyer: TestUser;
let agentId: string;
let other: string;

interface Program {
  grant_id: string;
  client_id: string;
  client_secret: string;
}

beforeAll(async () => {
  const developer = await register(market, 'developer');
  ({ agentId } = await putLive(market, developer.userId, agent.url, { credits: 7 }));
  ({ agentId: other } = await putLive(market, developer.userId, agent.url, { credits: 7 }));
});
beforeEach(async () => {
  buyer = await register(market, 'buyer', 100);
});

const create = (body: object = {}) =>
  request<Program>(market, buyer, 'POST', '/v1/oauth/grants', { name: 'night job', ...body });
const made = async (body: object = {}) => (await create(body)).body;
const rotate = (grantId: string, body: object = {}) =>
  request<Program>(market, buyer, 'POST', `/v1/oauth/grants/${grantId}/rotate`, body);
const token = ({ client_id, client_secret }: Omit<Program, 'grant_id'>, more: Record<string, string> = {}) =>
  post(market, '/oauth/token', { grant_type: 'client_credentials', client_id, client_secret, ...more });
const accessOf = async (program: Program) => String((await token(program)).body['access_token']);
const statusAt = async (access: string) =>
  (await legacy(market, null, agentId, 'tools/list', {}, bearer(access))).status;
const refusal = async (asked: ReturnType<typeof token>) => {
  const { status, body } = await asked;
  return [status, body['error']];
};

it('calls agents by the official client, within the limits of its grant', async () => {
  const program = await made({ call_cap: 6, pinned_agents: [agentId] });
  expect(program).toMatchObject({
    kind: 'program',
    agent_id: '*',
    client_id: expect.stringMatching(/^ocp_[0-9a-f]{32}$/) as string,
    client_secret: expect.stringMatching(/^ams_/) as string,
    scopes: ['agents:invoke', 'billing:read', 'disputes:write'],
  });
  const { client_id: clientId, client_secret: clientSecret } = program;
  const authProvider = new ClientCredentialsProvider({
    clientId,
    clientSecret,
    expectedIssuer: originOf(market),
  });
  const client = new Client({ name: 'night job', version: '1' });
  const options = { authProvider, fetch: throughOrigin(market) };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${originOf(market)}/mcp`), options));
  const call = () =>
    use(client, 'call_agent', { agent_id: agentId, input: { text: 'a' }, max_cost_credits: 9 });
  expect(await call()).toMatchObject({ failed: 'forbidden' });
  const path = `/v1/oauth/grants/${program.grant_id}`;
  await request(market, buyer, 'PATCH', path, { call_cap: null, credit_cap: 7, credit_cap_window: 'day' });
  expect(await call()).toMatchObject({ status: 'succeeded', credits_charged: 7 });
  expect(await call()).toMatchObject({ failed: 'credit_cap_exceeded' });
  expect((await client.listTools()).tools).toHaveLength(9);
  await market.owner.query(`INSERT INTO frozen_wallets (user_id, cause) VALUES ($1, 'operator')`, [
    buyer.userId,
  ]);
  await request(market, buyer, 'PATCH', path, { credit_cap: null });
  expect(await call()).toMatchObject({ words: expect.stringMatching(/frozen/) as string });
  await client.close();
});

it('gets a token by HTTP Basic or in the form, for its own resource and scopes alone', async () => {
  const program = await made({ agent_id: agentId, scopes: ['agents:invoke', 'agents:read'] });
  const response = await fetch(`${market.url}/oauth/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${program.client_id}:${program.client_secret}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: `grant_type=client_credentials&resource=${encodeURIComponent(resourceOf(market, agentId))}`,
  });
  const body = (await response.json()) as Record<string, unknown>;
  expect(body).toEqual({
    access_token: expect.stringMatching(/^amt_/) as string,
    token_type: 'Bearer',
    expires_in: expect.closeTo(1_800, -1) as number,
    scope: 'agents:invoke agents:read',
  });
  expect(await statusAt(String(body['access_token']))).toBe(200);
  const narrow = await token(program, { scope: 'agents:read' });
  expect(narrow.body['scope']).toBe('agents:read');
  expect(await statusAt(String(narrow.body['access_token']))).toBe(403);
  expect(await refusal(token(program, { scope: 'billing:read' }))).toEqual([400, 'invalid_scope']);
  for (const resource of [
    resourceOf(market, other),
    `${originOf(market)}/mcp`,
    'https://elsewhere.example/mcp',
  ])
    expect(await refusal(token(program, { resource }))).toEqual([400, 'invalid_target']);
  const { body: metadata } = await request(market, buyer, 'GET', '/.well-known/oauth-authorization-server');
  expect(metadata['grant_types_supported']).toContain('client_credentials');
  expect(metadata['token_endpoint_auth_methods_supported']).toContain('client_secret_basic');
});

it('gets a token where the card of an agent says, and buys by A2A', async () => {
  const program = await made({ agent_id: agentId });
  const cardPath = `/v1/a2a/${agentId}/.well-known/agent-card.json`;
  const { body: card } = await request<{ securitySchemes: Record<string, unknown> }>(
    market,
    buyer,
    'GET',
    cardPath,
  );
  const tokenUrl = `${originOf(market)}/oauth/token`;
  // 1.0 reads the member of the kind of a scheme, and 0.3 its type.
  expect(card.securitySchemes['oauthProgram']).toMatchObject({
    type: 'oauth2',
    flows: { clientCredentials: { tokenUrl } },
    oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl } } },
  });
  const headers = { authorization: `Bearer ${await accessOf(program)}`, 'a2a-version': '1.0' };
  const message = { messageId: 'm-program', role: 'ROLE_USER', parts: [{ data: { text: 'a' } }] };
  const reply = await a2a<{ task: { status: { state: string } } }>(
    market,
    null,
    'POST',
    `${agentId}/message:send`,
    { message },
    headers,
  );
  expect(reply.body.task.status.state).toBe('TASK_STATE_COMPLETED');
});

it('has another secret after a rotation, and none after its end', async () => {
  const program = await made({ agent_id: agentId });
  const { body: next } = await rotate(program.grant_id, { grace_seconds: 60 });
  expect(next).toMatchObject({ client_id: program.client_id });
  const [old, fresh] = [await accessOf(program), await accessOf(next)];
  expect([await statusAt(old), await statusAt(fresh)]).toEqual([200, 200]);
  const { body: last } = await rotate(program.grant_id);
  for (const ended of [program, next]) expect(await refusal(token(ended))).toEqual([401, 'invalid_client']);
  const list = await request<{ items: object[] }>(market, buyer, 'GET', '/v1/oauth/grants');
  expect(list.body.items).toEqual([
    expect.not.objectContaining({ client_secret: expect.anything() as unknown }),
  ]);
  const stranger = await register(market, 'buyer');
  const path = `/v1/oauth/grants/${program.grant_id}`;
  expect((await request(market, stranger, 'POST', `${path}/rotate`, {})).status).toBe(404);
  const access = await accessOf(last);
  const end = { method: 'DELETE', headers: { cookie: buyer.cookie } };
  expect((await fetch(market.url + path, end)).status).toBe(204);
  expect(await refusal(token(last))).toEqual([401, 'invalid_client']);
  expect(await statusAt(access)).toBe(401);
  expect((await rotate(program.grant_id)).status).toBe(404);
});

it.each<[number, object]>([
  [422, { name: '' }],
  [422, { scopes: [] }],
  [422, { credit_cap: -1 }],
  [404, { agent_id: 'agt_nobody_v1' }],
  [409, { agents: ['agt_one_v1'], pinned_agents: ['agt_other_v1'] }],
])('is refused with %i for %j', async (status, body) => {
  expect((await create(body)).status).toBe(status);
});

it('of one agent has no list of agents, and no client without a secret gets a token', async () => {
  expect((await create({ agent_id: agentId, pinned_agents: [agentId] })).status).toBe(409);
  const { clientId } = await registerClient(market);
  const secret = { client_id: clientId, client_secret: 'x' };
  expect(await refusal(token(secret))).toEqual([401, 'invalid_client']);
  const program = await made();
  const code = { grant_type: 'authorization_code', code: 'amc_x', code_verifier: 'x'.repeat(43) };
  expect(await refusal(token(program, code))).toEqual([400, 'invalid_client']);
  await market.owner.query('UPDATE api_keys SET expires_at = now() WHERE user_id = $1', [buyer.userId]);
  expect(await refusal(token(program))).toEqual([401, 'invalid_client']);
});

/** The status of a token request from another address, which may be refused for the rest of the minute. */
function fromElsewhere({ client_id, client_secret }: Program): Promise<number | undefined> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers, localAddress: '127.0.0.77' };
    httpRequest(`${market.url}/oauth/token`, options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end(form.toString());
  });
}

it('is limited in tokens and in wrong secrets', async () => {
  const program = await made();
  let answer = await token(program);
  for (let n = 0; answer.status === 200 && n < 70; n += 1) answer = await token(program);
  expect([answer.status, answer.body['error']]).toEqual([429, 'temporarily_unavailable']);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  const wrong = { ...(await made()), client_secret: `ams_${'x'.repeat(43)}` };
  const refused = await token(wrong);
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="oauth"']);
  let status: number | undefined = 401;
  for (let n = 0; status === 401 && n < 40; n += 1) status = await fromElsewhere(wrong);
  expect(status).toBe(429);
});

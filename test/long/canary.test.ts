/**
 * A self-hosted agent with a canary in its host name, its path and its credential is registered, called by every
 * surface, fails in every way, is probed, disputed and read by everyone. Afterwards the credential is nowhere: in no
 * response, table, log, history or file. Host and path are in what its owner is shown and in the agent's own versions.
 */
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { operations } from '../../src/contract/operations';
import { startDns, type TestDns } from '../support/agents/dns-server';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { ownMandate } from '../support/protocols/a2a';
import { answersOf, AUTH, failuresAt, HOST, KEY, PATH, streamed, WORDS } from '../support/crash/canary';
import { eventually, register, type TestMarket, type TestUser } from '../support/market';
import {
  startProcessStack,
  type ProcessStack,
  type ServiceProcess,
  untilServing,
} from '../support/stack/process-stack';
import { registerDeveloper, type TestDeveloper } from '../support/catalogue/publishing';
import { dumpHistories, dumpTables, placesOf, postgresFolder, readFiles } from '../support/crash/traces';

jest.setTimeout(240_000);

let stack: ProcessStack;
let dns: TestDns;
/** The TXT records by which the owner proves the host. */
const proofs: string[] = [];
let api: ServiceProcess;
let agent: TestAgent;
/** Where the buyer's webhooks go. */
let inbox: TestAgent;
let owner: TestDeveloper;
let other: TestDeveloper;
let buyer: TestUser;
let operator: TestUser;
let apiKey: string;

const market = () =>
  ({
    url: api.url,
    owner: stack.owner,
    config: { PUBLIC_ORIGIN: 'http://127.0.0.1:4000' },
  }) as unknown as TestMarket;

beforeAll(async () => {
  stack = await startProcessStack();
  agent = await startAgent({ host: '127.77.0.9' });
  inbox = await startAgent({ host: '127.77.0.10' });
  dns = await startDns({
    [`${HOST}.fixtures.example`]: ['127.77.0.9'],
    [`_agent-marketplace.${HOST}.fixtures.example`]: { texts: proofs },
  });
  const env = { LOG_LEVEL: 'trace', EGRESS_DNS_SERVERS: dns.address };
  api = await stack.addProcess('api', { env });
  await stack.addProcess('worker', { env });
  await untilServing(api);
  owner = await registerDeveloper(market());
  other = await registerDeveloper(market());
  buyer = await register(market(), 'buyer', 10_000);
  operator = await register(market(), 'buyer');
  await stack.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
});
afterAll(async () => {
  await agent.stop();
  await inbox.stop();
  await dns.stop();
  await stack.stop();
});

/** All answers: status, headers and body, by caller and request. */
const heard = new Map<string, Buffer>();
/** The answers to the owner. */
const told = new Map<string, Buffer>();

interface Answer {
  status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look at what they know to be there
  body: any;
}

type Who = { name: string; headers: Record<string, string> };
const as = (name: string, { cookie }: Pick<TestUser, 'cookie'>): Who => ({ name, headers: { cookie } });
const nobody: Who = { name: 'nobody', headers: {} };

/** Sends one request, and keeps the answer. A stream is read for three seconds at most. */
async function ask(who: Who, method: string, path: string, body?: unknown, more = {}): Promise<Answer> {
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: { ...who.headers, ...(body !== undefined && { 'content-type': 'application/json' }), ...more },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(method === 'GET' ? 3_000 : 30_000),
  });
  let text = '';
  try {
    for await (const chunk of response.body as AsyncIterable<Uint8Array>)
      text += Buffer.from(chunk).toString();
  } catch {
    text += '(goes on)';
  }
  const place = `${(who.name === 'owner' ? told : heard).size} ${who.name} ${method} ${path}`;
  const all = Buffer.from(`${response.status} ${JSON.stringify([...response.headers])} ${text}`);
  (who.name === 'owner' ? told : heard).set(place, all);
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

const base = () => `https://${HOST}.fixtures.example:${agent.port}/${PATH}`;

async function registerLive(slug: string, access: Record<string, string>): Promise<string> {
  const reply = await ask(as('owner', owner), 'POST', '/v1/agents/register', {
    slug,
    name: `Canary ${slug}`,
    access_config: { price_per_call_units: 100, ...access },
    upstream_auth: AUTH,
    submit: false,
  });
  expect([reply.status, reply.body.upstream_auth_set]).toEqual([201, true]);
  const agentId = String(reply.body.agent_id);
  const { body } = await ask(as('owner', owner), 'GET', `/v1/developer/agents/${agentId}`);
  proofs.push(String(body.ownership.token));
  await ask(as('owner', owner), 'PATCH', `/v1/agents/${agentId}/registration`, { submit: true });
  await eventually(async () => {
    const { body } = await ask(as('owner', owner), 'GET', `/v1/developer/agents/${agentId}`);
    return body.serving_version !== null;
  }, 60_000);
  return agentId;
}

/** Registrations that are refused; their answers do not show the secret to its owner either. */
async function refusedRegistrations(): Promise<void> {
  const access_config = { endpoint_url: `${base()}/run`, price_per_call_units: 100 };
  const body = { slug: 'canary-refused', name: 'Refused', access_config, upstream_auth: AUTH };
  for (const wrong of [
    { upstream_auth: { header: 'Host', key: AUTH.key } },
    { upstream_auth: { header: 'X-Canary-Key', key: `${AUTH.key}\r\nX-More: 1` } },
    { upstream_auth: { header: AUTH.key, key: AUTH.key } },
    { upstream_auth: AUTH.key },
    { price: 1 },
    { access_config: { ...access_config, endpoint_url: 'https://10.0.0.1/' } },
  ]) {
    const { status } = await ask(as('owner', owner), 'POST', '/v1/agents/register', { ...body, ...wrong });
    expect(status).toBe(422);
  }
}

/** Calls an agent by every surface; what each call needs besides is what the agent wants as its input. */
async function callByEverySurface(agentId: string, slug: string, input: unknown, tag: string): Promise<void> {
  const who = as('buyer', buyer);
  await ask(who, 'POST', `/v1/agents/${agentId}/invoke`, { input });
  await ask(who, 'POST', `/v1/agents/${agentId}/invoke`, { input, idempotency_key: `${tag}-${slug}` });
  await ask(who, 'POST', `/v1/agents/${owner.developerId}/${slug}/use`, input);
  await ask({ name: 'key', headers: { 'x-api-key': apiKey } }, 'POST', `/v1/agents/${agentId}/invoke`, {
    input,
  });
  await ask(who, 'POST', `/v1/agents/${agentId}/chat`, { messages: [{ role: 'user', content: 'hi' }] });
  const rpc = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params });
  const accept = { accept: 'application/json, text/event-stream' };
  await ask(who, 'POST', `/mcp/a/${agentId}`, rpc('tools/list', {}), accept);
  const call = slug.endsWith('mcp') ? { name: 'look', arguments: {} } : { name: 'invoke', arguments: input };
  await ask(who, 'POST', `/mcp/a/${agentId}`, rpc('tools/call', call), accept);
  const task = await ask(who, 'POST', `/v1/a2a/${agentId}/tasks`, {
    input,
    mandate: await ownMandate(market(), buyer, 50),
  });
  if (task.status === 202) await eventually(() => isOver(agentId, String(task.body.task_id)), 30_000);
}

async function isOver(agentId: string, taskId: string): Promise<boolean> {
  const { body } = await ask(as('buyer', buyer), 'GET', `/v1/a2a/${agentId}/tasks/${taskId}`);
  return !['accepted', 'running'].includes(String(body.status));
}

/** Every read of the API about the agents, by every account. */
async function readEverything(known: Record<string, string>): Promise<void> {
  const everybody = [
    as('buyer', buyer),
    as('other', other),
    as('operator', operator),
    as('owner', owner),
    nobody,
  ];
  const reads = operations.filter(({ method }) => method === 'get').map(({ path }) => path);
  reads.push('/v1/a2a/{agent_id}/.well-known/agent-card.json', '/metrics', '/v1/listings?q=canary');
  for (const path of reads) {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => known[name] ?? 'unknown');
    const key = { name: 'key', headers: { 'x-api-key': apiKey } };
    await Promise.all([...everybody, key].map((who) => ask(who, 'GET', filled)));
  }
}

/** Ends all verifications that were asked for. */
const untilProbed = (runs: number) =>
  eventually(async () => {
    const { rows } = await stack.owner.query<{ ended: string }>(
      `SELECT count(*) AS ended FROM verification_runs WHERE state <> 'running'`,
    );
    return Number(rows[0]?.ended) >= runs;
  }, 60_000);

it('shows the credential nowhere, and the endpoint to its owner only', async () => {
  agent.behave(answersOf);
  const key = await ask(as('buyer', buyer), 'POST', '/v1/keys', {
    name: 'k',
    scopes: ['agents:invoke', 'agents:read'],
  });
  apiKey = String(key.body.key);
  heard.clear();
  const types = ['invocation.succeeded', 'invocation.failed', 'dispute.opened', 'dispute.resolved'];
  const hook = await ask(as('buyer', buyer), 'POST', '/v1/webhooks', { url: `${inbox.url}/hook`, types });
  expect(hook.status).toBe(201);
  await refusedRegistrations();
  const slugs = { http: 'canary-http', mcp: 'canary-mcp' };
  const http = await registerLive(slugs.http, { endpoint_url: `${base()}/run` });
  const mcp = await registerLive(slugs.mcp, { endpoint_url: `${base()}/mcp`, protocol: 'mcp' });
  const mcpInput = { tool: 'look', arguments: {} };

  await Promise.all([
    callByEverySurface(http, slugs.http, { text: 'hello' }, 'echo'),
    callByEverySurface(mcp, slugs.mcp, mcpInput, 'echo'),
  ]);
  agent.behave(streamed);
  await callByEverySurface(http, slugs.http, { text: 'stream' }, 'stream');
  for (const [index, failure] of failuresAt(base()).entries()) {
    agent.behave(failure);
    await Promise.all([
      callByEverySurface(http, slugs.http, { text: 'fail' }, `fail-${index}`),
      callByEverySurface(mcp, slugs.mcp, mcpInput, `fail-${index}`),
    ]);
  }
  await ask(as('owner', owner), 'POST', `/v1/developer/agents/${http}/reverify`);
  await ask(as('owner', owner), 'POST', `/v1/developer/agents/${mcp}/reverify`);
  await untilProbed(4);
  agent.behave(answersOf);
  await ask(as('owner', owner), 'PATCH', `/v1/agents/${http}/registration`, {
    access_config: { endpoint_url: `${base()}/anew` },
    upstream_auth: AUTH,
  });
  await ask(as('other', other), 'PATCH', `/v1/agents/${http}/registration`, { name: 'Mine now' });
  await untilProbed(5);

  const good = await ask(as('buyer', buyer), 'POST', `/v1/agents/${http}/invoke`, {
    input: {},
    idempotency_key: 'good',
  });
  expect(good.status).toBe(200);
  const invocationId = String(good.body.invocation_id);
  const opened = await ask(as('buyer', buyer), 'POST', '/v1/billing/disputes', {
    invocation_id: invocationId,
    reason: 'output_incorrect',
    description: 'The answer is wrong.',
  });
  const disputeId = String(opened.body.dispute_id);
  const answer = { decision: 'contest', statement: 'It is right.' };
  await ask(as('owner', owner), 'POST', `/v1/billing/disputes/${disputeId}/respond`, answer);
  const known = {
    agent_id: http,
    invocation_id: invocationId,
    dispute_id: disputeId,
    slug: slugs.http,
    task_id: invocationId,
  };
  await readEverything(known);
  const verdict = { decision: 'buyer', reason: 'The buyer is right.' };
  expect(
    (await ask(as('operator', operator), 'POST', `/v1/operator/disputes/${disputeId}/resolve`, verdict))
      .status,
  ).toBe(200);
  await readEverything({ ...known, agent_id: mcp, slug: slugs.mcp });

  await eventually(async () => inbox.deliveries.length > 20, 30_000);

  // an address without a server
  await agent.stop();
  await callByEverySurface(http, slugs.http, { text: 'gone' }, 'gone');

  for (const [at, { headers, body }] of inbox.deliveries.entries()) {
    heard.set(`delivery ${at}`, Buffer.concat([Buffer.from(JSON.stringify(headers)), body]));
  }

  const connection = await Connection.connect({ address: stack.environment()['TEMPORAL_ADDRESS'] ?? '' });
  const histories = await dumpHistories(new TemporalClient({ connection }));
  await connection.close();
  const folder = await postgresFolder(stack);
  const tables = await dumpTables(stack);
  const postgres = readFiles(folder);
  const files = readFiles(stack.home);
  for (const name of files.keys()) if (name.includes('/postgres/')) files.delete(name);

  const everywhere = new Map([...heard, ...told, ...histories, ...tables, ...postgres, ...files]);
  expect(placesOf(everywhere, KEY)).toEqual([]);
  for (const word of WORDS) expect(placesOf(new Map([...heard, ...histories, ...files]), word)).toEqual([]);
  expect(placesOf(tables, PATH)).toEqual(['table agent_versions']);
  expect(placesOf(tables, HOST).sort()).toEqual([
    'table agent_versions',
    'table endpoint_proofs',
    'table upstream_credentials',
  ]);

  // the search finds known texts, and the canary reached the agent
  expect(agent.deliveries.length).toBeGreaterThan(30);
  for (const { headers, path } of agent.deliveries.filter(({ method }) => method === 'POST')) {
    expect([headers['x-canary-key'], path.startsWith(`/${PATH}/`)]).toEqual([AUTH.key, true]);
  }
  // The proofs of the host are looked for without the credential.
  for (const { headers } of agent.deliveries.filter(({ method }) => method === 'GET'))
    expect(headers['x-canary-key']).toBeUndefined();
  const statuses = new Set([...heard.values()].map((bytes) => bytes.toString('latin1', 0, 3)));
  for (const status of ['200', '202', '401', '403', '404', '502']) expect(statuses).toContain(status);
  expect(placesOf(told, HOST).length).toBeGreaterThan(0);
  expect(placesOf(heard, 'redacted').length).toBeGreaterThan(10);
  expect(placesOf(histories, invocationId).length).toBeGreaterThan(0);
  expect(placesOf(files, '/v1/agents/').some((name) => /api-\d+\.log$/.test(name))).toBe(true);
  expect(placesOf(postgres, HOST).length).toBeGreaterThan(0);
  const notices = await ask(as('owner', owner), 'GET', `/v1/developer/agents/${http}/notices`);
  const codes = (notices.body.items as { code: string }[]).map(({ code }) => code);
  expect(codes).toEqual(
    expect.arrayContaining(['credential_in_answer', 'credential_in_stream', 'credential_in_error']),
  );
});

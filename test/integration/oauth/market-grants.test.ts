/** One grant for the market (ADR 0334): from no credentials to a dispute by one consent, and held to its limits. */
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { balance, eventually, putLive, register, type TestUser } from '../../support/market';
import { passMidnight } from '../../support/accounts/budgets';
import { openBrowser, originOf, permit, TestProvider, throughOrigin } from '../../support/accounts/oauth';
import { request } from '../../support/catalogue/publishing';
import { jobTaken, type JobAgent, startJobAgent } from '../../support/jobs/reporting-agent';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { MODES, type Mode, use } from '../../support/protocols/market-mcp';
import { ANY_TOOL, mcpUpstream, putServerLive } from '../../support/protocols/mcp-upstream';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket();
const agent = useAgent();
let developer: TestUser;
let buyer: TestUser;
let agentId: string;
let job: JobAgent;

beforeAll(async () => {
  developer = await register(market, 'developer');
  ({ agentId } = await putLive(market, developer.userId, agent.url, { credits: 7 }));
  job = await startJobAgent(market, developer, { displayName: 'Cartographer of tramways' });
});
beforeEach(async () => {
  buyer = await register(market, 'buyer', 100);
});

async function connect(mode: Mode, provider: TestProvider): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transportFor(provider));
  return client;
}

const transportFor = (authProvider: TestProvider) =>
  new StreamableHTTPClientTransport(new URL(`${originOf(market)}/mcp`), {
    authProvider,
    fetch: throughOrigin(market),
  });

/** A client that knows the address of the market alone, and what its person permits. */
async function consented(mode: Mode, fields: Record<string, string>): Promise<Client> {
  const provider = new TestProvider();
  await expect(connect(mode, provider)).rejects.toThrow(UnauthorizedError);
  const back = await permit(market, buyer, provider.asked ?? '', fields);
  await transportFor(provider).finishAuth(back.searchParams);
  return connect(mode, provider);
}

interface Grant {
  grant_id: string;
  agent_id: string;
  used_credits: number;
}
const grants = async () =>
  (await request<{ items: Grant[] }>(market, buyer, 'GET', '/v1/oauth/grants')).body.items;
const change = async (body: object) => {
  const [grant] = await grants();
  return request<Record<string, unknown>>(
    market,
    buyer,
    'PATCH',
    `/v1/oauth/grants/${grant?.grant_id}`,
    body,
  );
};
const call = (client: Client, more: object = {}) =>
  use(client, 'call_agent', { agent_id: agentId, input: { text: 'a' }, max_cost_credits: 9, ...more });

it.each(MODES)(
  'an empty client of %s finds, describes, buys, answers and disputes by one consent and five tools',
  async (_era, mode) => {
    const client = await consented(mode, { credit_cap: '50', credit_cap_window: 'day' });
    const used = new Set<string>();
    const tool = (name: string, args: Record<string, unknown>) => {
      used.add(name);
      return use(client, name, args);
    };
    const { agents } = (await tool('search_agents', {
      intent: 'please draw the tramways of a town',
      limit: 20,
    })) as {
      agents: { agent_id: string; takes_jobs: boolean }[];
    };
    const found = agents.find(({ agent_id }) => agent_id === job.agentId);
    expect(found).toMatchObject({ takes_jobs: true });
    expect(await tool('describe_agent', { agent_id: found?.agent_id })).toMatchObject({
      input_schema: { required: ['text'] },
    });
    job.agent.forget();
    const args = {
      agent_id: found?.agent_id,
      input: { text: 'a' },
      max_cost_credits: 10,
      idempotency_key: 'k',
    };
    const asked = tool('call_agent', args);
    const id = await jobTaken(market, job);
    const schema = { type: 'object', properties: { year: { type: 'integer' } } };
    await job.callBack(id, 'question', { question_id: 'year', prompt: 'Which year?', schema });
    const { question } = await asked;
    const answer = { invocation_id: id, question_id: question.question_id, answer: { year: 1999 } };
    expect(await tool('answer_question', answer)).toMatchObject({ status: 'running' });
    await eventually(() => job.agent.deliveries.some(({ body }) => body.includes('1999')));
    await job.callBack(id, 'answer', { output: { text: 'done' } });
    // The same call again is not paid again: it waits for the answer.
    expect(await tool('call_agent', args)).toMatchObject({ invocation_id: id, output: { text: 'done' } });
    const about = { invocation_id: id, reason: 'output_incorrect', description: 'Another text.' };
    expect(await tool('open_dispute', about)).toMatchObject({ status: 'open' });
    expect(used.size).toBe(5);
    expect(await grants()).toMatchObject([{ agent_id: '*', used_credits: 10 }]);
    await client.close();
  },
);

it('is held to its budget by two calls at once, and begins anew with the window', async () => {
  const client = await consented('legacy', { credit_cap: '10', credit_cap_window: 'day' });
  const both = await Promise.all([call(client), call(client)]);
  expect(both.map(({ status, failed }) => (status ?? failed) as string).sort()).toEqual([
    'credit_cap_exceeded',
    'succeeded',
  ]);
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(9_300);
  await passMidnight(market.owner, buyer.userId);
  const next = await Promise.all([call(client), call(client)]);
  expect(next.filter(({ status }) => status === 'succeeded')).toHaveLength(1);
  expect(next.find(({ failed }) => failed !== undefined)).toMatchObject({
    failed: 'credit_cap_exceeded',
    words: expect.stringMatching(/has limited what it may spend/) as string,
  });
  expect(await use(client, 'get_balance')).toMatchObject({
    spendable_credits: 3,
    limit: { credits: 10, spent_credits: 7, window: 'day' },
  });
  await client.close();
});

it('gives the budget of the window back when a call is disputed while it runs or after', async () => {
  const client = await consented('legacy', { credit_cap: '10', credit_cap_window: 'month' });
  const { invocation_id } = await call(client);
  const dispute = { invocation_id, reason: 'other', description: 'x' };
  const { dispute_id } = await use(client, 'open_dispute', dispute);
  const path = `/v1/billing/disputes/${dispute_id}/respond`;
  await request(market, developer, 'POST', path, { decision: 'accept', statement: 'Yes.' });
  await eventually(async () => (await grants())[0]?.used_credits === 0);
  expect(await call(client)).toMatchObject({ status: 'succeeded' });
  await client.close();
});

it('is held to price, trust and agents, which its owner can change', async () => {
  const client = await consented('legacy', { call_cap: '6', min_trust_score: '', agents: '' });
  expect(await call(client)).toMatchObject({
    failed: 'forbidden',
    words: expect.stringMatching(/at most 6 credits for a call/) as string,
  });
  expect((await change({ call_cap: null, min_trust_score: 100 })).body).toMatchObject({
    call_cap: null,
    min_trust_score: 100,
  });
  expect(await call(client)).toMatchObject({
    failed: 'forbidden',
    words: expect.stringMatching(/trust score/) as string,
  });
  expect((await use(client, 'search_agents', { intent: 'echo' })).agents).toEqual([]);
  await change({ min_trust_score: null, agents: ['agt_other_v1'] });
  expect(await call(client)).toMatchObject({
    failed: 'forbidden',
    words: expect.stringMatching(/not among the agents/) as string,
  });
  await change({ agents: [agentId] });
  expect(await call(client)).toMatchObject({ status: 'succeeded' });
  // It is found behind more than a hundred others that may not be called.
  for (let n = 0; n < 101; n += 1)
    await putLive(market, developer.userId, agent.url, { displayName: 'Funicular echo' });
  expect((await use(client, 'search_agents', { intent: 'a funicular echo' })).agents).toMatchObject([
    { agent_id: agentId },
  ]);
  // A cap over the lifetime cannot be below what was spent; one of a window may.
  expect((await change({ credit_cap: 6, credit_cap_window: 'lifetime' })).status).toBe(409);
  expect((await change({ credit_cap: 6, credit_cap_window: 'week' })).status).toBe(200);
  await market.owner.query(`UPDATE agents SET status = 'suspended' WHERE agent_id = $1`, [agentId]);
  expect(await call(client)).toMatchObject({
    failed: 'not_found',
    words: 'No agent with this id can be called. search_agents finds agents.',
  });
  await market.owner.query(`UPDATE agents SET status = 'active' WHERE agent_id = $1`, [agentId]);
  await client.close();
});

describe('a pinned agent', () => {
  const tools = [
    { ...ANY_TOOL, annotations: { readOnlyHint: true } },
    { ...ANY_TOOL, name: 'a.b' },
    { ...ANY_TOOL, name: 'a b' },
    { ...ANY_TOOL, name: 'get_balance', title: 'Get the balance' },
    ...Array.from({ length: 60 }, (_, n) => ({ ...ANY_TOOL, name: `t${n}` })),
  ];
  let upstream: TestAgent;
  let serverId: string;
  const nameOf = (id: string) => id.replace('agt_', '');
  const suspend = (id: string, status: string) =>
    market.owner.query('UPDATE agents SET status = $2 WHERE agent_id = $1', [id, status]);

  beforeAll(async () => {
    upstream = await startAgent({ behaviour: mcpUpstream({ tools }) });
    serverId = await putServerLive(market, developer.userId, `${upstream.url}/mcp`);
  });
  afterAll(() => upstream.stop());

  it.each(MODES)('is a tool of its own for %s', async (_era, mode) => {
    const client = await consented(mode, { credit_cap: '17', pinned_agents: `${agentId} ${serverId}` });
    const listed = (await client.listTools()).tools;
    const names = listed.map(({ name }) => name);
    expect(names.slice(7, 10)).toEqual(['get_balance', nameOf(agentId), `${nameOf(serverId)}-anything`]);
    expect([names.length, new Set(names).size]).toEqual([48, 48]);
    expect(names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([]);
    expect(names.filter((name) => name.includes('--a_b--'))).toHaveLength(2);
    expect(listed[8]).toMatchObject({
      title: 'Echo agent',
      description: expect.stringContaining('7 credits') as string,
      inputSchema: { type: 'object', required: ['text'] },
      outputSchema: { properties: { output: { type: 'object' }, invocation_id: {} } },
      annotations: { destructiveHint: true, openWorldHint: true },
    });
    expect(listed[9]).toMatchObject({ annotations: { readOnlyHint: true } });
    const paid = await use(client, nameOf(agentId), { text: 'hello' });
    expect(paid).toMatchObject({ status: 'succeeded', output: { text: 'hello' }, credits_charged: 7 });
    expect(await use(client, 'get_call', { invocation_id: paid.invocation_id })).toMatchObject({
      status: 'succeeded',
      receipt: {},
    });
    for (const name of [`${nameOf(serverId)}-anything`, names.find((each) => each.includes('--a_b--'))!])
      expect(await use(client, name, { x: 1 })).toMatchObject({ status: 'succeeded', credits_charged: 3 });
    const [delivery] = upstream.deliveries.slice(-1);
    expect(delivery?.body.toString()).toMatch(/"name":"a[. ]b"/);
    // One that imitates a tool of the market has another name, says whose it is, and does not come before it.
    const imitation = listed.find(({ name }) => name === `${nameOf(serverId)}-get_balance`);
    expect(imitation).toMatchObject({
      title: 'Get the balance (Self-hosted)',
      description: expect.stringContaining(
        `A tool of the agent ${serverId} of the market. A call costs`,
      ) as string,
    });
    const asked = upstream.deliveries.length;
    expect(await use(client, 'get_balance')).toMatchObject({ limit: { credits: 17 } });
    expect(upstream.deliveries).toHaveLength(asked);
    // The budget of the grant holds as for call_agent.
    expect(await use(client, nameOf(agentId), { text: 'b' })).toMatchObject({
      failed: 'credit_cap_exceeded',
    });
    await client.close();
  });

  it('is refused in words, and free, for bad input, and when it is suspended', async () => {
    const client = await consented('legacy', { pinned_agents: `${agentId} ${serverId}`, call_cap: '6' });
    expect(await use(client, nameOf(agentId), { text: 'a' })).toMatchObject({
      failed: 'forbidden',
      words: expect.stringMatching(/at most 6 credits/) as string,
    });
    await change({ call_cap: null });
    const wrong = await use(client, nameOf(agentId), { other: 1 });
    expect(wrong).toMatchObject({
      failed: 'input_schema_mismatch',
      words: expect.not.stringMatching(/input\./),
    });
    for (const id of [agentId, serverId]) await suspend(id, 'suspended');
    expect((await client.listTools()).tools).toHaveLength(8);
    for (const name of [nameOf(agentId), `${nameOf(serverId)}-anything`])
      expect(await use(client, name, { text: 'a' })).toMatchObject({
        failed: 'not_found',
        words: expect.stringMatching(/suspended or was withdrawn/) as string,
      });
    for (const id of [agentId, serverId]) await suspend(id, 'active');
    for (const name of [nameOf(job.agentId), `${nameOf(serverId)}-nothing`, 'agt_nobody_v1'])
      await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32602 });
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(10_000);
    await client.close();
  });

  it('goes on as a call of the market, and its owner changes the pins', async () => {
    const client = await consented('legacy', { credit_cap: '' });
    expect((await change({ pinned_agents: [job.agentId] })).body).toMatchObject({
      pinned_agents: [job.agentId],
    });
    job.agent.forget();
    const asked = use(client, nameOf(job.agentId), { text: 'a' });
    const id = await jobTaken(market, job);
    const schema = { type: 'object', properties: { year: { type: 'integer' } } };
    await job.callBack(id, 'question', { question_id: 'year', prompt: 'Which year?', schema });
    expect(await asked).toMatchObject({ status: 'input_required', invocation_id: id });
    await use(client, 'answer_question', { invocation_id: id, question_id: 'year', answer: { year: 1 } });
    await job.callBack(id, 'answer', { output: { text: 'done' } });
    expect(await use(client, 'get_call', { invocation_id: id })).toMatchObject({ output: { text: 'done' } });
    expect((await change({ agents: [agentId] })).status).toBe(409);
    expect((await change({ pinned_agents: [] })).status).toBe(422);
    expect((await change({ pinned_agents: Array(41).fill(agentId) })).status).toBe(422);
    expect((await change({ agents: [agentId], pinned_agents: null })).status).toBe(200);
    expect((await client.listTools()).tools).toHaveLength(8);
    await client.close();
  });
});

it('asks again for limits that are none, and its token is valid for the market alone', async () => {
  const provider = new TestProvider();
  await expect(connect('legacy', provider)).rejects.toThrow(UnauthorizedError);
  const browser = openBrowser(market, buyer.cookie);
  const address = provider.asked ?? '';
  const page = await browser.open(address);
  expect(page.html).toContain('Budget in credits');
  for (const wrong of [
    { credit_cap: '-1' },
    { credit_cap_window: 'year' },
    { call_cap: 'x' },
    { min_trust_score: '101' },
    { agents: 'nobody' },
    { pinned_agents: 'nobody' },
    { pinned_agents: 'agt_one_v1', agents: 'agt_other_v1' },
  ]) {
    const answer = await browser.submit(page, address, { action: 'allow', ...wrong });
    expect([answer.status, answer.html.includes('role="alert"')]).toEqual([422, true]);
  }
  const back = await permit(market, buyer, address);
  await transportFor(provider).finishAuth(back.searchParams);
  const token = `Bearer ${provider.tokens()?.access_token}`;
  const at = (path: string) =>
    fetch(market.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: token },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
  expect([(await at('/mcp')).status, (await at(`/mcp/a/${agentId}`)).status]).toEqual([200, 401]);
});

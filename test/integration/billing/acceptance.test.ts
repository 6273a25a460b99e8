/**
 * Tests that a buyer sets for the answer of a call (ADR 0425): on every surface, the price is paid only if the answer
 * passes them.
 */
import { createHash } from 'node:crypto';
import { failsManyBuyers, readAcceptanceRecord } from '../../../src/stores/calls/acceptances';
import { makeKey } from '../../support/accounts/keys';
import { eventStream } from '../../support/agents/behaviours';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { chat, CHAT_SCHEMAS, TURN } from '../../support/calls/chat';
import { use } from '../../support/calls/use';
import { request } from '../../support/catalogue/publishing';
import {
  balance,
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  type TestUser,
} from '../../support/market';
import { clientFor, dataMessage, sendTask } from '../../support/protocols/a2a';
import { connectMarket } from '../../support/protocols/market-mcp';
import { legacy, modern } from '../../support/protocols/mcp';
import { useScene } from '../../support/use-market';

const scene = useScene({ agent: { acceptsTests: true } });
const INPUT = { text: 'tested', n: 5 };
const PASSES = { assertions: [{ pointer: '/n', op: 'eq', value: 5 }] };
const FAILS = {
  assertions: [
    { pointer: '/n', op: 'exists', value: true },
    { pointer: '/n', op: 'gt', value: 5 },
  ],
};
let buyer: TestUser;
let chatting: TestAgent;
let chatId: string;

beforeAll(async () => {
  chatting = await startAgent({ behaviour: eventStream(['Hello', ' you']), host: '127.77.0.3' });
  ({ agentId: chatId } = await putLive(scene.market, scene.developer.userId, chatting.url, {
    ...CHAT_SCHEMAS,
    credits: 10,
    acceptsTests: true,
  }));
});
beforeEach(async () => {
  scene.agent.forget();
  buyer = await register(scene.market, 'buyer', 100);
});
afterEach(() => expectWholeLedger(scene.market));
afterAll(() => chatting.stop());

const call = (accept: unknown, more: object = {}, agentId = scene.agentId) =>
  invoke(scene.market, buyer, agentId, { input: INPUT, accept, ...more });
const wallet = () => balance(scene.market.owner, buyer.userId, 'wallet');

interface Call {
  status: string;
  error: { code: string } | null;
  evidence: {
    authorisation: { accept_sha256?: string };
    receipt: { accept_passed?: boolean | null; schema_valid: boolean | null };
  };
}
async function calls(): Promise<Call[]> {
  const { market } = scene;
  const { body } = await request<{ items: { invocation_id: string }[] }>(
    market,
    buyer,
    'GET',
    '/v1/invocations',
  );
  return Promise.all(
    body.items.map(
      async ({ invocation_id: id }) =>
        (await request<Call & Record<string, unknown>>(market, buyer, 'GET', `/v1/invocations/${id}`)).body,
    ),
  );
}

type Door = (accept: unknown) => Promise<unknown>;
const meta = (accept: unknown) => ({ 'io.market/accept': accept });
const tool = (accept: unknown) => ({ name: 'invoke', arguments: INPUT, _meta: meta(accept) });
const DOORS: Record<string, Door> = {
  invoke: (accept) => call(accept),
  'the header of /use': async (accept) => {
    const slug = scene.agentId.slice('agt_'.length, -'_v1'.length).replaceAll('_', '-');
    const { body } = await request<{ developer: { developer_id: string } }>(
      scene.market,
      buyer,
      'GET',
      `/v1/listings/${scene.agentId}`,
    );
    const headers = { 'x-acceptance': JSON.stringify(accept) };
    return use(scene.market, buyer, { slug, owner: body.developer.developer_id }, INPUT, headers);
  },
  'MCP of before 2026': (accept) => legacy(scene.market, buyer, scene.agentId, 'tools/call', tool(accept)),
  'MCP of 2026': (accept) => modern(scene.market, buyer, scene.agentId, 'tools/call', tool(accept)),
  'the MCP server of the market': async (accept) => {
    const { key } = await makeKey(scene.market, buyer, { scopes: ['agents:invoke', 'agents:read'] });
    const client = await connectMarket(scene.market, 'legacy', { 'x-api-key': key });
    const args = { agent_id: scene.agentId, input: INPUT, max_cost_credits: 10 };
    return client.callTool({ name: 'call_agent', arguments: args, _meta: meta(accept) });
  },
  A2A: async (accept) =>
    sendTask(
      await clientFor(scene.market, buyer, scene.agentId, 'JSONRPC'),
      dataMessage(INPUT, { metadata: meta(accept) }),
    ),
};

describe.each(Object.entries(DOORS))('tests by %s', (_name, door) => {
  it('are sent to the agent, passed and paid, and stand in the receipt', async () => {
    await door(PASSES);
    const [sent] = scene.agent.deliveries;
    expect(JSON.parse(String(sent?.headers['x-acceptance']))).toEqual(PASSES);
    const digest = createHash('sha256').update(String(sent?.headers['x-acceptance'])).digest('hex');
    expect(sent?.headers['x-acceptance-sha256']).toBe(digest);
    expect(sent?.headers['x-buyer-acceptance']).toBe('judged=0, failed=0');
    await eventually(async () => (await calls())[0]?.status === 'succeeded');
    const [{ evidence } = {} as Call] = await calls();
    expect(evidence.authorisation.accept_sha256).toBe(digest);
    expect(evidence.receipt).toMatchObject({ accept_passed: true, schema_valid: true });
    expect(await wallet()).toBe(9_000);
  });

  it('that the answer fails cost nothing', async () => {
    await door(FAILS);
    await eventually(async () => (await calls())[0]?.status === 'failed');
    const [{ error, evidence } = {} as Call] = await calls();
    expect(error?.code).toBe('acceptance_failed');
    expect(evidence.receipt).toMatchObject({ accept_passed: false, schema_valid: true });
    expect(await wallet()).toBe(10_000);
    expect(await readAcceptanceRecord(scene.market.owner, buyer.userId)).toEqual({ judged: 1, failed: 1 });
  });
});

it('says which test failed, and to the developer where', async () => {
  const reply = await call(FAILS);
  expect([reply.status, reply.body.error?.message]).toEqual([
    502,
    'The answer fails a test of the call: assertion 2 (/n gt). Nothing was charged.',
  ]);
  const { body } = await request<{ items: { failure: unknown; agent_error: boolean }[] }>(
    scene.market,
    scene.developer,
    'GET',
    `/v1/developer/agents/${scene.agentId}/calls?status=failed`,
  );
  expect(body.items[0]).toMatchObject({
    agent_error: false,
    failure: { phase: 'acceptance', schema_path: '/n', problem: 'assertion 2 (/n gt)' },
  });
});

it('tests by a schema, besides the agent’s own', async () => {
  const strict = { schema: { type: 'object', properties: { n: { maximum: 4 } } } };
  expect((await call(strict)).body.error?.code).toBe('acceptance_failed');
  expect((await call({ schema: { type: 'object', required: ['n'] } })).status).toBe(200);
  expect(await wallet()).toBe(9_000);
});

it.each<[string, unknown, number, string]>([
  ['an unknown op', { assertions: [{ pointer: '', op: 'like', value: 1 }] }, 422, 'validation_failed'],
  ['a list that is too long', { assertions: Array(21).fill(PASSES.assertions[0]) }, 422, 'validation_failed'],
  ['nothing to test', {}, 422, 'validation_failed'],
  ['more than 4 KiB', { schema: { const: 'x'.repeat(4_100) } }, 422, 'validation_failed'],
  ['a schema with a remote reference', { schema: { $ref: 'https://example.com/s' } }, 422, 'unsafe_schema'],
  ['a schema with a slow pattern', { schema: { pattern: '^(a+)+$(?<=x)\\1' } }, 422, 'unsafe_schema'],
])('refuses %s before anything is held', async (_name, accept, status, code) => {
  const reply = await call(accept);
  expect([reply.status, reply.body.error?.code]).toEqual([status, code]);
  expect(reply.body.detail?.[0]?.loc.slice(0, 2)).toEqual(['body', 'accept']);
  expect(await calls()).toEqual([]);
  const byHeader = await invoke(
    scene.market,
    buyer,
    scene.agentId,
    { input: INPUT },
    { 'x-acceptance': JSON.stringify(accept) },
  );
  expect(byHeader.status).toBe(status);
});

it('refuses tests for an agent that takes none', async () => {
  const { agentId } = await putLive(scene.market, scene.developer.userId, scene.agent.url);
  const reply = await call(PASSES, {}, agentId);
  expect([reply.status, reply.body.error?.code]).toEqual([422, 'acceptance_unsupported']);
  expect(reply.body.detail).toMatchObject([{ loc: ['body', 'accept'] }]);
  expect(scene.agent.deliveries).toEqual([]);
  expect((await call(undefined, {}, agentId)).status).toBe(200);
  expect(scene.agent.deliveries[0]?.headers).not.toHaveProperty('x-acceptance');
});

it('lets the agent decline for nothing, and shows its words', async () => {
  const declining = await startAgent({
    behaviour: { kind: 'answer', status: 412, output: { error: { message: 'These tests are too strict.' } } },
  });
  const live = await putLive(scene.market, scene.developer.userId, declining.url, { acceptsTests: true });
  const reply = await call(PASSES, {}, live.agentId);
  expect([reply.status, reply.body.error]).toEqual([
    409,
    expect.objectContaining({ code: 'acceptance_declined', agent_message: 'These tests are too strict.' }),
  ]);
  expect((await call(undefined, {}, live.agentId)).body.error?.code).toBe('agent_error');
  expect(await wallet()).toBe(10_000);
  expect(await readAcceptanceRecord(scene.market.owner, buyer.userId)).toEqual({ judged: 0, failed: 0 });
  await declining.stop();
});

it('tests the answer of a job when it is there', async () => {
  const jobs = { max_seconds: 600 };
  const worker = await startAgent({
    behaviour: ({ method }) =>
      method === 'GET'
        ? { kind: 'answer', output: INPUT }
        : { kind: 'answer', status: 202, output: {}, headers: { location: '/jobs/1', 'retry-after': '1' } },
  });
  const live = await putLive(scene.market, scene.developer.userId, worker.url, { jobs, acceptsTests: true });
  for (const [accept, status] of [
    [FAILS, 'failed'],
    [PASSES, 'succeeded'],
  ] as const) {
    const { body } = await call(accept, {}, live.agentId);
    const id = String(body.invocation_id);
    const { body: ended } = await request<Call & Record<string, unknown>>(
      scene.market,
      buyer,
      'GET',
      `/v1/invocations/${id}?wait=30`,
    );
    expect(ended.status).toBe(status);
    const { rows } = await scene.market.owner.query('SELECT acceptance FROM a2a_tasks WHERE task_id = $1', [
      id,
    ]);
    expect(rows).toEqual([{ acceptance: null }]);
  }
  const posted = worker.deliveries.filter(({ method }) => method === 'POST');
  expect(posted.map(({ headers }) => headers['x-buyer-acceptance'])).toEqual([
    'judged=0, failed=0',
    'judged=1, failed=1',
  ]);
  expect(await wallet()).toBe(9_000);
  await worker.stop();
});

it('tests a streamed answer at its end, and refunds what was shown', async () => {
  const accept = (value: string) => ({ assertions: [{ pointer: '/text', op: 'contains', value }] });
  const passed = await chat(scene.market, buyer, chatId, { ...TURN, accept: accept('you') });
  expect(passed.last).toMatchObject({ type: 'done' });
  const failed = await chat(scene.market, buyer, chatId, { ...TURN, accept: accept('bye') });
  expect(failed.last).toMatchObject({ type: 'error', error: { code: 'acceptance_failed' } });
  expect(await wallet()).toBe(9_000);
});

it('has one idempotency key for one set of tests', async () => {
  const key = { idempotency_key: 'order-1' };
  const first = await call(PASSES, key);
  expect((await call(PASSES, key)).body).toEqual(first.body);
  for (const other of [FAILS, undefined])
    expect((await call(other, key)).body.error?.code).toBe('idempotency_key_reused');
  expect(await wallet()).toBe(9_000);
});

it('shows a buyer whose tests fail to the agents, and takes no more of them above the share', async () => {
  for (let n = 0; n < 4; n += 1) await call(PASSES);
  for (let n = 0; n < 6; n += 1) await call(FAILS);
  expect(scene.agent.deliveries.at(-1)?.headers['x-buyer-acceptance']).toBe('judged=9, failed=5');
  const reply = await call(PASSES);
  expect([reply.status, reply.body.error?.code]).toEqual([403, 'acceptance_limited']);
  expect(reply.body.error?.message).toContain('6 of your last 10 tested answers failed');
  expect((await call(undefined)).status).toBe(200);
});

it('counts failed tests against an agent only once ten buyers differ', async () => {
  const { market, developer, agent } = scene;
  const { agentId } = await putLive(market, developer.userId, agent.url, { acceptsTests: true });
  const tallied = async () => {
    await market.container.tallies.flush();
    const { rows } = await market.owner.query<{ failed: number }>(
      'SELECT coalesce(sum(failed), 0)::int AS failed FROM buyer_days WHERE agent_id = $1',
      [agentId],
    );
    return rows[0]?.failed;
  };
  const buyers = await Promise.all(Array.from({ length: 10 }, () => register(market, 'buyer', 100)));
  for (const one of buyers.slice(0, 9))
    for (let n = 0; n < 2; n += 1) await invoke(market, one, agentId, { input: INPUT, accept: FAILS });
  await invoke(market, developer, agentId, { input: INPUT, accept: FAILS });
  expect(await tallied()).toBe(0);
  await invoke(market, buyers[9] ?? buyer, agentId, { input: INPUT, accept: FAILS });
  expect(await tallied()).toBe(1);
});

it('reads the records by their indexes', async () => {
  const { owner } = scene.market;
  await owner.query(
    `INSERT INTO call_acceptances (invocation_id, author_user_id, agent_id, sha256, passed, judged_at)
     SELECT 'inv_' || lpad(to_hex(n), 32, '0'), 'usr_' || (n % 100), 'agt_many_v1', repeat('a', 64), n % 2 = 0, now()
       FROM generate_series(1, 20000) n`,
  );
  await owner.query('ANALYZE call_acceptances');
  const { rows } = await owner.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN SELECT passed FROM call_acceptances WHERE author_user_id = 'usr_1' AND passed IS NOT NULL
       ORDER BY invocation_id DESC LIMIT 100`,
  );
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('call_acceptances_author');
  expect((await readAcceptanceRecord(owner, 'usr_1')).judged).toBe(100);
  const startedAt = performance.now();
  expect(await failsManyBuyers(owner, 'agt_many_v1', 'usr_9')).toBe(true);
  expect(performance.now() - startedAt).toBeLessThan(250);
  await owner.query(`DELETE FROM call_acceptances WHERE agent_id = 'agt_many_v1'`);
});

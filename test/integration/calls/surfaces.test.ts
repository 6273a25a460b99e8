/**
 * One agent by every way there is: invoke, `/use`, chat, MCP in both eras, A2A in both forms and by the plain path. It
 * is charged the same, and appears the same in ledger, usage and evidence.
 */
import { createLocalJWKSet, compactVerify, type JSONWebKeySet } from 'jose';
import { startAgent } from '../../support/agents/test-agent';
import { a2a, type Binding, clientFor, dataMessage, ownMandate, sendTask } from '../../support/protocols/a2a';
import { chat, CHAT_SCHEMAS, TURN } from '../../support/calls/chat';
import { balance, eventually, invoke, putLive, register, type TestUser } from '../../support/market';
import { legacy, modern } from '../../support/protocols/mcp';
import { registerDeveloper, request, type TestDeveloper } from '../../support/catalogue/publishing';
import { use } from '../../support/calls/use';
import { useScene } from '../../support/use-market';

const PRICE = 7;
const INPUT = { ...TURN, session_id: 'mine' };

const scene = useScene();
let developer: TestDeveloper;
let agentId: string;
let slug: string;
let buyer: TestUser;

beforeAll(async () => {
  scene.agent.behave({ kind: 'answer', output: { text: 'hello' } });
  developer = await registerDeveloper(scene.market);
  ({ agentId } = await putLive(scene.market, developer.userId, scene.agent.url, {
    ...CHAT_SCHEMAS,
    credits: PRICE,
  }));
  slug = agentId.slice('agt_'.length, -'_v1'.length).replaceAll('_', '-');
});
beforeEach(async () => {
  buyer = await register(scene.market, 'buyer', 100);
});

const byA2a = (binding: Binding) => async () => {
  const task = await sendTask(await clientFor(scene.market, buyer, agentId, binding), dataMessage(INPUT));
  return task.id;
};

/** Each makes one call and answers the invocation's id. */
const WAYS: Record<string, [surface: string, call: () => Promise<unknown>]> = {
  invoke: [
    'invoke',
    async () => (await invoke(scene.market, buyer, agentId, { input: INPUT })).body.invocation_id,
  ],
  use: [
    'use',
    async () => {
      const agent = { slug, owner: developer.developerId };
      return (await use(scene.market, buyer, agent, INPUT)).body.invocation_id;
    },
  ],
  chat: ['chat', async () => (await chat(scene.market, buyer, agentId)).last?.invocation_id],
  'MCP with a handshake': [
    'mcp',
    async () => {
      const params = { name: 'invoke', arguments: INPUT };
      const { body } = await legacy(scene.market, buyer, agentId, 'tools/call', params);
      return (body.result?.['_meta'] as Record<string, unknown>)['io.market/invocation_id'];
    },
  ],
  'MCP without': [
    'mcp',
    async () => {
      const params = { name: 'invoke', arguments: INPUT };
      const { body } = await modern(scene.market, buyer, agentId, 'tools/call', params);
      return (body.result?.['_meta'] as Record<string, unknown>)['io.market/invocation_id'];
    },
  ],
  'A2A by JSON-RPC': ['a2a', byA2a('JSONRPC')],
  'A2A by HTTP+JSON': ['a2a', byA2a('HTTP+JSON')],
  'A2A by the plain path': [
    'a2a',
    async () => {
      const mandate = await ownMandate(scene.market, buyer);
      const { body } = await a2a(scene.market, buyer, 'POST', `${agentId}/tasks`, { input: INPUT, mandate });
      const path = `${agentId}/tasks/${body.task_id}`;
      await eventually(
        async () => (await a2a(scene.market, buyer, 'GET', path)).body.status === 'succeeded',
        20_000,
      );
      return body.task_id;
    },
  ],
};

interface Call {
  surface: string;
  status: string;
  usage: { credits_charged: number; tokens_out: number };
  evidence: {
    offer: unknown;
    receipt: { output_sha256: string; schema_valid: boolean; ledger: string[] };
    signature: string;
  };
}
interface Page {
  items: { entry_type: string; credits: number; invocation_id?: string; agent_id?: string }[];
}
type Usage = Record<
  'calls' | 'gross_credits' | 'developer_earnings_credits' | 'platform_fee_credits',
  number
>;

it.each(Object.entries(WAYS))(
  '%s is charged, reported and signed like the others',
  async (_name, [surface, call]) => {
    const { market } = scene;
    const usagePath = `/v1/agents/${agentId}/usage`;
    const before = (await request<Usage>(market, developer, 'GET', usagePath)).body;
    const payable = await balance(market.owner, developer.userId, 'payable');

    const invocationId = String(await call());

    const read = await request<Call & Record<string, unknown>>(
      market,
      buyer,
      'GET',
      `/v1/invocations/${invocationId}`,
    );
    expect(read.body).toMatchObject({ surface, status: 'succeeded', usage: { credits_charged: PRICE } });
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe((100 - PRICE) * 100);
    expect((await balance(market.owner, developer.userId, 'payable')) - payable).toBe(PRICE * 97);
    const { items } = (
      await request<Page & Record<string, unknown>>(market, buyer, 'GET', '/v1/billing/ledger')
    ).body;
    const charges = items.filter((item) => item.invocation_id === invocationId);
    expect(charges.reduce((sum, { credits }) => sum + credits, 0)).toBe(-PRICE);
    expect(charges.every((item) => item.agent_id === agentId)).toBe(true);
    const after = (await request<Usage>(market, developer, 'GET', usagePath)).body;
    expect(after.calls - before.calls).toBe(1);
    expect(after.gross_credits - before.gross_credits).toBeCloseTo(PRICE, 5);
    expect(after.platform_fee_credits - before.platform_fee_credits).toBeCloseTo(PRICE * 0.03, 5);

    const { evidence } = read.body;
    const keys = (await (await fetch(`${market.url}/.well-known/jwks.json`)).json()) as JSONWebKeySet;
    const { payload } = await compactVerify(evidence.signature, createLocalJWKSet(keys));
    expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({
      offer: { version: '1.0.0', price: { credits_per_call: PRICE } },
      receipt: { schema_valid: true, ledger: [expect.any(String), expect.any(String)] },
    });
  },
);

it('refuses, on every surface and before anything is held, the calls beyond those that the agent takes at once', async () => {
  const { market } = scene;
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  const then = { kind: 'answer', output: { text: 'hello' } } as const;
  const agent = await startAgent({ behaviour: { kind: 'waits', until, then } });
  const limited = await putLive(market, developer.userId, agent.url, { ...CHAT_SCHEMAS, maxConcurrency: 2 });
  const others = await Promise.all(Array.from({ length: 5 }, () => register(market, 'buyer', 100)));
  const calls = others.map((other) => invoke(market, other, limited.agentId, { input: INPUT }));
  await agent.waitForDeliveries(2);
  const refusal = (headers: Headers, error: unknown) => [headers.get('retry-after'), error];
  const busy = ['1', expect.objectContaining({ code: 'concurrency_limited' })];
  const turn = await chat(market, buyer, limited.agentId);
  expect([turn.status, ...refusal(turn.headers, turn.refusal.error)]).toEqual([429, ...busy]);
  const slugOf = limited.agentId.slice('agt_'.length, -'_v1'.length).replaceAll('_', '-');
  const used = await use(market, buyer, { slug: slugOf, owner: developer.developerId }, INPUT);
  expect([used.status, ...refusal(used.headers, used.body.error)]).toEqual([429, ...busy]);
  const mandate = await ownMandate(market, buyer);
  const task = await a2a(market, buyer, 'POST', `${limited.agentId}/tasks`, { input: INPUT, mandate });
  expect([task.status, task.body]).toMatchObject([429, { error: { code: 'concurrency_limited' } }]);
  const params = { name: 'invoke', arguments: INPUT };
  const tool = await legacy(market, buyer, limited.agentId, 'tools/call', params);
  expect(tool.body.result).toMatchObject({
    isError: true,
    _meta: { 'io.market/error_code': 'concurrency_limited' },
  });
  expect(await balance(market.owner, buyer.userId, 'escrow')).toBe(0);
  release();
  const ends = await Promise.all(calls);
  expect(ends.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429]);
  expect(agent.deliveries).toHaveLength(2);
  const refused = ends.find(({ status }) => status === 429);
  expect(refused?.body.error?.message).toBe(
    'This agent takes 2 calls at once, and has them. Wait and retry.',
  );
  expect((await invoke(market, buyer, limited.agentId, { input: INPUT })).status).toBe(200);
  await agent.stop();
});

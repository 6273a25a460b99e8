/**
 * One agent by every way there is: invoke, `/use`, chat, MCP in both eras, A2A in both forms and by the plain path. It
 * is charged the same, and appears the same in ledger, usage and evidence.
 */
import { createLocalJWKSet, compactVerify, type JSONWebKeySet } from 'jose';
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

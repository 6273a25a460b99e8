import { decodePaymentRequiredHeader } from '@x402/core/http';
import { Webhook } from 'standardwebhooks';
import type { Behaviour } from '../../support/agents/behaviours';
import { refusingUrl, startAgent } from '../../support/agents/test-agent';
import { balance, invoke, putLive, register, type LiveAgent, type TestUser } from '../../support/market';
import { type Scene } from '../../support/scene';
import { useScene } from '../../support/use-market';

const scene = useScene();
let market: Scene['market'];
let developer: Scene['developer'];
let agent: Scene['agent'];

beforeAll(async () => {
  ({ market, developer, agent } = scene);
});

async function balances(buyer: TestUser) {
  return {
    wallet: await balance(market.owner, buyer.userId, 'wallet'),
    escrow: await balance(market.owner, buyer.userId, 'escrow'),
    payable: await balance(market.owner, developer.userId, 'payable'),
    fees: await balance(market.owner, null, 'fees'),
  };
}

describe('a call that succeeds', () => {
  it('moves N from the buyer, 0.97 N to the developer and 0.03 N to the platform', async () => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 10 });
    const before = await balances(buyer);
    const reply = await invoke(market, buyer, agentId, { input: { text: 'hello', n: 3 } });
    expect(reply.body).toMatchObject({ output: { text: 'hello', n: 3 }, usage: { credits_charged: 10 } });
    expect(reply.status).toBe(200);
    const after = await balances(buyer);
    expect(after.wallet - before.wallet).toBe(-1_000);
    expect(after.payable - before.payable).toBe(970);
    expect(after.fees - before.fees).toBe(30);
    expect(after.escrow).toBe(0);
  });

  it('reaches the agent as the input itself, signed with its secret', async () => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId, signingSecret } = await putLive(market, developer.userId, agent.url);
    agent.forget();
    const reply = await invoke(market, buyer, agentId, { input: { text: 'hello' } });
    const [delivery] = agent.deliveries;
    expect(delivery?.path).toBe('/invoke');
    expect(delivery?.invocationId).toBe(reply.body.invocation_id);
    expect(delivery?.headers).toMatchObject({
      'idempotency-key': reply.body.invocation_id,
      'x-agent-version': '1.0.0',
      traceparent: expect.stringContaining(reply.body.trace_id ?? '?') as unknown,
    });
    const signed = delivery?.headers as Record<string, string>;
    expect(new Webhook(signingSecret).verify(delivery?.body.toString() ?? '', signed)).toEqual({
      text: 'hello',
    });
  });
});

describe('a call that fails costs nothing', () => {
  const failures: [string, Behaviour, number, string][] = [
    ['does not answer in time', { kind: 'hangs' }, 504, 'agent_timeout'],
    ['answers with an error status', { kind: 'status', status: 500 }, 502, 'agent_error'],
    ['answers 404', { kind: 'status', status: 404 }, 502, 'agent_error'],
    ['answers something that is not JSON', { kind: 'not_json' }, 502, 'agent_error'],
    ['answers outside its schema', { kind: 'wrong_shape' }, 502, 'output_schema_mismatch'],
    ['redirects', { kind: 'redirect', location: 'https://127.0.0.1/' }, 502, 'agent_error'],
    ['answers too much', { kind: 'huge', bytes: 11 * 1024 * 1024 }, 502, 'response_too_large'],
    ['dies in the middle of its answer', { kind: 'dies_mid_answer' }, 502, 'agent_error'],
    ['trickles', { kind: 'trickle', everyMs: 50 }, 504, 'agent_timeout'],
  ];

  it.each(failures)('when the agent %s', async (_name, behaviour, status, code) => {
    const failing = await startAgent({ behaviour });
    const { agentId } = await putLive(market, developer.userId, failing.url, {
      timeoutMs: status === 504 ? 1_000 : 20_000,
    });
    await expectRefund(agentId, status, code);
    await failing.stop();
  });

  it('when no server listens at the endpoint', async () => {
    const { agentId } = await putLive(market, developer.userId, await refusingUrl());
    await expectRefund(agentId, 502, 'agent_unreachable');
  });

  it("when the agent's certificate is not to be trusted", async () => {
    const strange = await startAgent({ certificate: 'stranger' });
    const { agentId } = await putLive(market, developer.userId, strange.url);
    await expectRefund(agentId, 502, 'agent_unreachable');
    expect(strange.deliveries).toHaveLength(0);
    await strange.stop();
  });

  async function expectRefund(agentId: string, status: number, code: string): Promise<void> {
    const buyer = await register(market, 'buyer', 100);
    const before = await balances(buyer);
    const reply = await invoke(market, buyer, agentId, { input: { text: 'hello' } });
    expect({ status: reply.status, code: reply.body.error?.code }).toEqual({ status, code });
    expect(JSON.stringify(reply.body)).not.toContain('AGENT-SECRET-DETAIL');
    expect(await balances(buyer)).toEqual(before);
    const row = await market.owner.query<{ status: string; error_code: string }>(
      'SELECT status, error_code FROM invocations WHERE invocation_id = $1',
      [reply.body.invocation_id],
    );
    expect(row.rows[0]).toEqual({ status: 'failed', error_code: code });
  }
});

describe('a refused call', () => {
  it('starts no workflow and writes nothing', async () => {
    const poor = await register(market, 'buyer', 5);
    const live = await putLive(market, developer.userId, agent.url, { credits: 10, maxPayloadBytes: 100 });
    const rich = await register(market, 'buyer', 100);
    agent.forget();
    const replies = [
      await invoke(market, poor, live.agentId, { input: { text: 'x' } }),
      await invoke(market, rich, 'agt_nobody_v1', { input: { text: 'x' } }),
      await invoke(market, rich, live.agentId, { input: { text: 'x'.repeat(200) } }),
      await invoke(market, rich, live.agentId, { input: { wrong: true } }),
      await invoke(market, rich, live.agentId, { input: { text: 'x' }, max_cost_credits: 9 }),
    ];
    expect(replies.map((reply) => [reply.status, reply.body.error?.code])).toEqual([
      [402, 'insufficient_credits'],
      [404, 'not_found'],
      [413, 'payload_too_large'],
      [422, 'input_schema_mismatch'],
      [402, 'max_cost_exceeded'],
    ]);
    expect(replies[0]?.body.error?.message).toBe(
      'This call needs 10 credits; the wallet has 5 credits available. Top up at least 5 credits (POST /v1/billing/topup), then repeat the call.',
    );
    expect(replies[4]?.body.error?.message).toContain('costs 10 credits, more than max_cost_credits (9)');
    expect(replies.map(({ headers }) => headers.has('payment-required'))).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
    expect(decodePaymentRequiredHeader(replies[0]?.headers.get('payment-required') ?? '')).toMatchObject({
      x402Version: 2,
      error: expect.stringMatching(/^insufficient_credits: This call needs 10 credits/) as string,
      resource: { url: `${market.config.PUBLIC_ORIGIN}/v1/agents/${live.agentId}/invoke` },
      accepts: [{ scheme: 'credits', amount: '10', payTo: live.agentId }],
    });
    expect(replies[3]?.body.detail?.[0]?.loc.slice(0, 2)).toEqual(['body', 'input']);
    expect(agent.deliveries).toHaveLength(0);
    expect(await countOf(live)).toBe(0);
  });

  async function countOf(live: LiveAgent): Promise<number> {
    const rows = await market.owner.query('SELECT FROM invocations WHERE agent_id = $1', [live.agentId]);
    return rows.rowCount ?? -1;
  }
});

describe('a forward step that the engine runs again', () => {
  it('joins the one that still waits for the agent', async () => {
    const buyer = await register(market, 'buyer', 100);
    const slow = await startAgent({ behaviour: { kind: 'slow', ms: 500 } });
    const { agentId } = await putLive(market, developer.userId, slow.url, { credits: 10 });
    const running = invoke(market, buyer, agentId, { input: { text: 'twice' } });
    await slow.waitForDeliveries(1);
    const again = market.container.steps.forward(slow.deliveries[0]?.invocationId ?? '');
    expect(await again).toMatchObject({ kind: 'answered' });
    expect((await running).status).toBe(200);
    expect(slow.deliveries).toHaveLength(1);
    await slow.stop();
  });
});

describe('races', () => {
  it('accepts exactly ten of a hundred parallel calls with credits for ten', async () => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 10 });
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, n) => invoke(market, buyer, agentId, { input: { text: 'race', n } })),
    );
    const statuses = replies.map((reply) => reply.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 402)).toHaveLength(90);
    expect((await balances(buyer)).wallet).toBe(0);
  });

  it('makes one agent call, one charge and fifty equal answers of fifty calls with one key', async () => {
    const buyer = await register(market, 'buyer', 100);
    const slow = await startAgent({ behaviour: { kind: 'slow', ms: 300 } });
    const { agentId } = await putLive(market, developer.userId, slow.url, { credits: 10 });
    const replies = await Promise.all(
      Array.from({ length: 50 }, () =>
        invoke(market, buyer, agentId, { input: { text: 'once' } }, { 'idempotency-key': 'order-1' }),
      ),
    );
    expect(new Set(replies.map((reply) => JSON.stringify(reply.body))).size).toBe(1);
    expect(replies[0]?.status).toBe(200);
    expect(slow.deliveries).toHaveLength(1);
    expect((await balances(buyer)).wallet).toBe(9_000);
    const replay = await invoke(market, buyer, agentId, {
      input: { text: 'once' },
      idempotency_key: 'order-1',
    });
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(replay.body).toEqual(replies[0]?.body);
    const other = await invoke(market, buyer, agentId, {
      input: { text: 'two' },
      idempotency_key: 'order-1',
    });
    expect([other.status, other.body.error?.code]).toEqual([409, 'idempotency_key_reused']);
    await slow.stop();
  });
});

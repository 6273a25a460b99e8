/**
 * The cost of calls that are priced by seconds, and rules of every model (contract, "Invocation"; security
 * reference, T12).
 */
import { invoke, register } from '../../support/market';
import {
  behind,
  callsOf,
  moneyOf,
  outcomeOf,
  perSecond,
  perToken,
  putPriced,
  tokensOf,
  type Price,
} from '../../support/billing/metering';
import { type Scene } from '../../support/scene';
import { useScene } from '../../support/use-market';
import { eventually } from '../../support/waits';

const scene = useScene();
let market: Scene['market'];
let agent: Scene['agent'];

beforeAll(async () => {
  ({ market, agent } = scene);
});
beforeEach(() => {
  agent.behave({ kind: 'echo' });
  agent.forget();
});

describe('a call that is paid by seconds', () => {
  it('costs the time that the agent took, rounded up', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(scene, perSecond('12.5'));
    agent.behave({ kind: 'slow', ms: 700 });
    const reply = await invoke(market, buyer, agentId, { input: { text: 'hello' } });
    const { duration_ms: durationMs = 0, credits_charged: credits } = reply.body.usage ?? {};
    expect(durationMs).toBeGreaterThanOrEqual(700);
    expect(credits).toBe(Math.ceil((durationMs * 12.5) / 1_000));
    expect((await moneyOf(scene, buyer)).wallet).toBe(500_000 - (credits ?? 0) * 100);
  });

  it('costs max_credits_per_call at most, and then runs on', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(scene, perSecond('100', 3));
    agent.behave({ kind: 'slow', ms: 300 });
    const reply = await invoke(market, buyer, agentId, { input: {}, max_cost_credits: 3 });
    expect(reply.body.usage?.credits_charged).toBe(3);
  });

  it('is ended as soon as it is certain to be above the ceiling, and is free', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(scene, perSecond('10'));
    agent.behave({ kind: 'hangs' });
    const reply = await invoke(market, buyer, agentId, { input: {}, max_cost_credits: 8 });
    expect(outcomeOf(reply)).toEqual([402, 'max_cost_exceeded']);
    const [delivery] = agent.deliveries;
    await untilClosed();
    const openForMs = (delivery?.closedAt ?? 0) - (delivery?.at ?? 0);
    expect(openForMs).toBeGreaterThan(500);
    expect(openForMs).toBeLessThan(800 + 200);
    expect(await moneyOf(scene, buyer)).toEqual({ wallet: 500_000, escrow: 0 });
    expect(await behind(scene, reply)).toMatchObject({ status: 'failed', holdUnits: 800, chargedUnits: 0 });
  });

  it('is refused before the call when the ceiling is 0', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(scene, perSecond('0.001'));
    const reply = await invoke(market, buyer, agentId, { input: {}, max_cost_credits: 0 });
    expect(outcomeOf(reply)).toEqual([402, 'max_cost_exceeded']);
    expect(agent.deliveries).toHaveLength(0);
    expect(await callsOf(scene, agentId)).toBe(0);
  });

  it('ends at timeout_ms when that comes before the ceiling', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(scene, perSecond('1'), { timeoutMs: 1_000 });
    agent.behave({ kind: 'hangs' });
    const reply = await invoke(market, buyer, agentId, { input: {}, max_cost_credits: 500 });
    expect(outcomeOf(reply)).toEqual([504, 'agent_timeout']);
    expect((await moneyOf(scene, buyer)).wallet).toBe(500_000);
  });

  async function untilClosed(): Promise<void> {
    await eventually(() => agent.deliveries.every(({ closedAt }) => closedAt !== undefined), 60_000, 10);
  }
});

describe('a call under any pricing model', () => {
  const models: [string, Price][] = [
    ['per_call', { model: 'per_call', credits_per_call: 4 }],
    ['per_token', perToken('5')],
    ['per_second', perSecond('5')],
  ];

  it.each(models)('reports its usage: %s', async (_name, pricing) => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(scene, pricing);
    agent.behave({ kind: 'slow', ms: 30 });
    const input = { text: 'how many tokens are these?' };
    const reply = await invoke(market, buyer, agentId, { input });
    const { usage } = reply.body;
    expect(usage).toMatchObject({ tokens_in: tokensOf(input), tokens_out: tokensOf(input) });
    expect(usage?.duration_ms).toBeGreaterThanOrEqual(30);
    expect((await moneyOf(scene, buyer)).wallet).toBe(500_000 - (usage?.credits_charged ?? 0) * 100);
    const read = await fetch(`${market.url}/v1/invocations/${reply.body.invocation_id}`, {
      headers: { cookie: buyer.cookie },
    });
    expect(await read.json()).toMatchObject({ status: 'succeeded', usage });
  });

  it.each(models)('stays free under a ceiling of 0 if it is free: %s', async (_name, pricing) => {
    const buyer = await register(market, 'buyer');
    const agentId = await putPriced(scene, pricing, { freeTierCalls: 1 });
    const reply = await invoke(market, buyer, agentId, { input: { text: 'free' }, max_cost_credits: 0 });
    expect(reply.body.usage?.credits_charged).toBe(0);
    const second = await invoke(market, buyer, agentId, { input: { text: 'free' }, max_cost_credits: 0 });
    expect(outcomeOf(second)).toEqual([402, 'max_cost_exceeded']);
  });
});

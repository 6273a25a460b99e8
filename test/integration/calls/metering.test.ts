/** The cost of calls that are priced by tokens (contract, "Invocation"; security reference, T12). */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { invoke, register } from '../../support/market';
import {
  behind,
  callsOf,
  moneyOf,
  outcomeOf,
  perToken,
  putPriced,
  tokensOf,
} from '../../support/billing/metering';
import { type Scene } from '../../support/scene';
import { useScene } from '../../support/use-market';

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

describe('a call that is paid by tokens', () => {
  const texts: [string, string][] = [
    ['a short text', 'hello'],
    ['many scripts', '日本語のテキスト、عربى, ไทย, 👩‍👩‍👧‍👦 and ½ of ﬁve '.repeat(40)],
    ['what must be escaped in JSON', '"quoted"\n\t\\ and \u0001 '.repeat(200)],
    ['what looks like a special token', '<|endoftext|> <|im_start|> '.repeat(50)],
  ];

  it.each(texts)('costs what the tokens of its JSON texts cost, rounded up: %s', async (_name, text) => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(scene, perToken('1.337'));
    const output = { answer: `${text} and more`, n: 3 };
    agent.behave({ kind: 'answer', output });
    const reply = await invoke(market, buyer, agentId, { input: { text } });
    const special = { disallowedSpecial: new Set<string>() };
    const tokensIn = countTokens(JSON.stringify({ text }), special);
    const tokensOut = countTokens(JSON.stringify(output), special);
    const credits = Number((BigInt(tokensIn + tokensOut) * 1_337n + 999_999n) / 1_000_000n);
    expect(reply.body.usage).toMatchObject({
      tokens_in: tokensIn,
      tokens_out: tokensOut,
      credits_charged: credits,
    });
    expect(await moneyOf(scene, buyer)).toEqual({ wallet: 500_000 - credits * 100, escrow: 0 });
  });

  it('counts what is sent and delivered, not the spaces that either side adds', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(scene, perToken('1000', 5_000));
    agent.behave({ kind: 'raw', bytes: rawJson('{ "a" :   [1,\n\n  2 ] }') });
    const reply = await invoke(market, buyer, agentId, '{"input": {   "text" :"x"   } }');
    expect(reply.body.usage).toMatchObject({
      tokens_in: tokensOf({ text: 'x' }),
      tokens_out: tokensOf({ a: [1, 2] }),
    });
  });

  it('rounds up: the smallest call costs one credit', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(scene, perToken('0.001'));
    const reply = await invoke(market, buyer, agentId, { input: {} });
    expect(reply.body.usage?.credits_charged).toBe(1);
  });

  it('costs max_credits_per_call at most, and that is held', async () => {
    const buyer = await register(market, 'buyer', 50);
    const agentId = await putPriced(scene, perToken('1000', 7));
    const reply = await invoke(market, buyer, agentId, {
      input: { text: 'word '.repeat(100) },
      max_cost_credits: 7,
    });
    expect(reply.body.usage?.credits_charged).toBe(7);
    expect(await behind(scene, reply)).toMatchObject({ holdUnits: 700, chargedUnits: 700 });
  });

  it('is refused before the call if its input alone costs more than the ceiling', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(scene, perToken('100'));
    const input = { text: 'word '.repeat(100) };
    const tooLow = Math.ceil(tokensOf(input) / 10) - 1;
    const reply = await invoke(market, buyer, agentId, { input, max_cost_credits: tooLow });
    expect(outcomeOf(reply)).toEqual([402, 'max_cost_exceeded']);
    expect(agent.deliveries).toHaveLength(0);
    expect(await callsOf(scene, agentId)).toBe(0);
    expect(outcomeOf(await invoke(market, buyer, agentId, { input, max_cost_credits: 0 }))).toEqual([
      402,
      'max_cost_exceeded',
    ]);
    expect(agent.deliveries).toHaveLength(0);
  });

  it('is refused without counting when its buyer cannot pay, so that others do not wait', async () => {
    const agentId = await putPriced(scene, perToken('100'));
    const poor = await register(market, 'buyer', 0);
    const input = { text: '/'.repeat(256 * 1024) };
    const timeOf = async (work: () => Promise<unknown>) => {
      const startedAt = performance.now();
      await work();
      return performance.now() - startedAt;
    };
    const countMs = await timeOf(() => market.container.tokens.count('nobody', [JSON.stringify(input)]));
    const refusals: unknown[] = [];
    const refuse = async () => refusals.push(outcomeOf(await invoke(market, poor, agentId, { input })));
    const refuseMs = await timeOf(() => Promise.all([1, 2, 3, 4].map(refuse)));
    expect(refusals).toEqual([1, 2, 3, 4].map(() => [402, 'insufficient_credits']));
    expect(refuseMs).toBeLessThan(countMs * 2);
    const rich = await register(market, 'buyer', 5_000);
    const tooDear = await invoke(market, rich, agentId, { input, max_cost_credits: 100 });
    expect(outcomeOf(tooDear)).toEqual([402, 'max_cost_exceeded']);
  });

  it('withholds an answer that makes it cost more than the ceiling, and is free', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(scene, perToken('100'));
    const input = { text: 'tell me' };
    const output = { secret: 'ANSWER '.repeat(300) };
    agent.behave({ kind: 'answer', output });
    const exact = Math.ceil((tokensOf(input) + tokensOf(output)) / 10);
    const refused = await invoke(market, buyer, agentId, { input, max_cost_credits: exact - 1 });
    expect(outcomeOf(refused)).toEqual([402, 'max_cost_exceeded']);
    expect(JSON.stringify(refused.body)).not.toContain('ANSWER');
    expect(agent.deliveries).toHaveLength(1);
    expect(await moneyOf(scene, buyer)).toEqual({ wallet: 500_000, escrow: 0 });
    expect(await behind(scene, refused)).toMatchObject({
      status: 'failed',
      holdUnits: (exact - 1) * 100,
      chargedUnits: 0,
    });
    const allowed = await invoke(market, buyer, agentId, { input, max_cost_credits: exact });
    expect(allowed.body.usage?.credits_charged).toBe(exact);
  });

  it('gives the unused part of its hold back in the transaction of the charge', async () => {
    const buyer = await register(market, 'buyer', 2_000);
    const agentId = await putPriced(scene, perToken('10', 1_000));
    const reply = await invoke(market, buyer, agentId, { input: { text: 'x'.repeat(2_000) } });
    const credits = reply.body.usage?.credits_charged ?? 0;
    expect(credits).toBeGreaterThan(0);
    const { moves, transactions } = await behind(scene, reply);
    expect(moves).toEqual([
      ['invocation_hold', -100_000],
      ['invocation_release', 100_000],
      ['invocation_charge', -credits * 100],
    ]);
    expect(new Set(transactions).size).toBe(2);
    expect(transactions[1]).toBe(transactions[2]);
  });

  it('holds no more than the ceiling, so that a small wallet is enough', async () => {
    const buyer = await register(market, 'buyer', 20);
    const agentId = await putPriced(scene, perToken('10', 1_000));
    expect(outcomeOf(await invoke(market, buyer, agentId, { input: {} }))).toEqual([
      402,
      'insufficient_credits',
    ]);
    const reply = await invoke(market, buyer, agentId, { input: {}, max_cost_credits: 20 });
    expect(reply.status).toBe(200);
    expect((await behind(scene, reply)).holdUnits).toBe(2_000);
  });

  it('carries at most 1 MiB each way', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(scene, perToken('0.001', 100));
    const fits = { text: 'word '.repeat(209_700) };
    const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
    expect(sizeOf(fits)).toBeLessThanOrEqual(1024 * 1024);
    const tooLarge = { text: 'word '.repeat(209_720) };
    expect(sizeOf(tooLarge)).toBeGreaterThan(1024 * 1024);
    expect(outcomeOf(await invoke(market, buyer, agentId, { input: tooLarge }))).toEqual([
      413,
      'payload_too_large',
    ]);
    expect(agent.deliveries).toHaveLength(0);
    const reply = await invoke(market, buyer, agentId, { input: fits });
    expect(reply.body.usage?.tokens_in).toBe(tokensOf(fits));
    expect(reply.body.usage?.tokens_out).toBe(tokensOf(fits));
    agent.behave({ kind: 'huge', bytes: 1024 * 1024 + 1 });
    const refused = await invoke(market, buyer, agentId, { input: {} });
    expect(outcomeOf(refused)).toEqual([502, 'response_too_large']);
    expect((await behind(scene, refused)).chargedUnits).toBe(0);
  });

  it('ignores the usage that the agent reports', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(scene, perToken('1000', 5_000));
    const output = { usage: { tokens_in: 1_000_000, tokens_out: 0, credits_charged: 4_999 }, ok: true };
    const headers = { 'x-tokens-out': '1000000', 'x-credits-charged': '4999' };
    agent.behave({ kind: 'answer', output, headers });
    const reply = await invoke(market, buyer, agentId, { input: {} });
    const credits = tokensOf({}) + tokensOf(output);
    expect(reply.body.usage).toMatchObject({ tokens_out: tokensOf(output), credits_charged: credits });
    expect((await moneyOf(scene, buyer)).wallet).toBe(500_000 - credits * 100);
  });
});

function rawJson(json: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`;
}

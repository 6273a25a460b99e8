/** What calls cost that are priced by tokens or seconds (contract, "Invocation"; security reference, T12). */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Pricing } from '../../src/domain/manifest';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import {
  balance,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  startMarket,
  type InvokeReply,
  type TestMarket,
  type TestUser,
} from '../support/market';

let market: TestMarket;
let developer: TestUser;
let agent: TestAgent;

beforeAll(async () => {
  market = await startMarket();
  developer = await register(market, 'developer');
  agent = await startAgent();
});
beforeEach(() => {
  agent.behave({ kind: 'echo' });
  agent.forget();
});
afterAll(async () => {
  await agent.stop();
  await expectWholeLedger(market);
  await market.stop();
});

type Price = Omit<Pricing, 'free_tier_calls'>;

function perToken(rate: string, most = 1_000): Price {
  return { model: 'per_token', credits_per_1k_tokens: rate, max_credits_per_call: most };
}

function perSecond(rate: string, most = 1_000): Price {
  return { model: 'per_second', credits_per_second: rate, max_credits_per_call: most };
}

async function putPriced(
  pricing: Price,
  more: { freeTierCalls?: number; timeoutMs?: number } = {},
): Promise<string> {
  const anything = { type: 'object' };
  const options = { pricing, inputSchema: anything, outputSchema: anything, ...more };
  return (await putLive(market, developer.userId, agent.url, options)).agentId;
}

/** The library's own count of the JSON text, not the service's. */
function tokensOf(value: unknown): number {
  return countTokens(JSON.stringify(value));
}

const outcomeOf = (reply: InvokeReply) => [reply.status, reply.body.error?.code];

async function money(buyer: TestUser) {
  return {
    wallet: await balance(market.owner, buyer.userId, 'wallet'),
    escrow: await balance(market.owner, buyer.userId, 'escrow'),
  };
}

/** The call's row, and how its money moved: entries of the buyer's wallet by type, in units. */
async function behind(reply: InvokeReply) {
  const call = await market.owner.query<{ status: string; hold: string | null; charged: string | null }>(
    `SELECT i.status, h.amount_units AS hold, i.charged_units AS charged
       FROM invocations i LEFT JOIN holds h USING (invocation_id) WHERE invocation_id = $1`,
    [reply.body.invocation_id],
  );
  const moves = await market.owner.query<{ entry_type: string; amount: string; transaction_id: string }>(
    `SELECT e.entry_type, e.amount_units AS amount, e.transaction_id
       FROM entries e JOIN transactions t USING (transaction_id) JOIN accounts a USING (account_id)
      WHERE t.invocation_id = $1 AND a.kind = 'wallet' ORDER BY e.entry_id`,
    [reply.body.invocation_id],
  );
  const row = call.rows[0];
  return {
    status: row?.status,
    holdUnits: Number(row?.hold),
    chargedUnits: Number(row?.charged),
    moves: moves.rows.map(({ entry_type, amount }) => [entry_type, Number(amount)]),
    transactions: moves.rows.map(({ transaction_id }) => transaction_id),
  };
}

describe('a call that is paid by tokens', () => {
  const texts: [string, string][] = [
    ['a short text', 'hello'],
    ['many scripts', '日本語のテキスト、عربى, ไทย, 👩‍👩‍👧‍👦 and ½ of ﬁve '.repeat(40)],
    ['what must be escaped in JSON', '"quoted"\n\t\\ and \u0001 '.repeat(200)],
    ['what looks like a special token', '<|endoftext|> <|im_start|> '.repeat(50)],
  ];

  it.each(texts)('costs what the tokens of its JSON texts cost, rounded up: %s', async (_name, text) => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(perToken('1.337'));
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
    expect(await money(buyer)).toEqual({ wallet: 500_000 - credits * 100, escrow: 0 });
  });

  it('counts what is sent and delivered, not the spaces that either side adds', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(perToken('1000', 5_000));
    agent.behave({ kind: 'raw', bytes: rawJson('{ "a" :   [1,\n\n  2 ] }') });
    const reply = await invoke(market, buyer, agentId, '{"input": {   "text" :"x"   } }');
    expect(reply.body.usage).toMatchObject({
      tokens_in: tokensOf({ text: 'x' }),
      tokens_out: tokensOf({ a: [1, 2] }),
    });
  });

  it('rounds up: the smallest call costs one credit', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(perToken('0.001'));
    const reply = await invoke(market, buyer, agentId, { input: {} });
    expect(reply.body.usage?.credits_charged).toBe(1);
  });

  it('costs max_credits_per_call at most, and that is held', async () => {
    const buyer = await register(market, 'buyer', 50);
    const agentId = await putPriced(perToken('1000', 7));
    const reply = await invoke(market, buyer, agentId, {
      input: { text: 'word '.repeat(100) },
      max_cost_credits: 7,
    });
    expect(reply.body.usage?.credits_charged).toBe(7);
    expect(await behind(reply)).toMatchObject({ holdUnits: 700, chargedUnits: 700 });
  });

  it('is refused before the call when its input alone is too dear', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(perToken('100'));
    const input = { text: 'word '.repeat(100) };
    const tooLow = Math.ceil(tokensOf(input) / 10) - 1;
    const reply = await invoke(market, buyer, agentId, { input, max_cost_credits: tooLow });
    expect(outcomeOf(reply)).toEqual([402, 'max_cost_exceeded']);
    expect(agent.deliveries).toHaveLength(0);
    expect(await callsOf(agentId)).toBe(0);
    expect(outcomeOf(await invoke(market, buyer, agentId, { input, max_cost_credits: 0 }))).toEqual([
      402,
      'max_cost_exceeded',
    ]);
    expect(agent.deliveries).toHaveLength(0);
  });

  it('withholds an answer that makes it too dear, and is free', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(perToken('100'));
    const input = { text: 'tell me' };
    const output = { secret: 'ANSWER '.repeat(300) };
    agent.behave({ kind: 'answer', output });
    const exact = Math.ceil((tokensOf(input) + tokensOf(output)) / 10);
    const refused = await invoke(market, buyer, agentId, { input, max_cost_credits: exact - 1 });
    expect(outcomeOf(refused)).toEqual([402, 'max_cost_exceeded']);
    expect(JSON.stringify(refused.body)).not.toContain('ANSWER');
    expect(agent.deliveries).toHaveLength(1);
    expect(await money(buyer)).toEqual({ wallet: 500_000, escrow: 0 });
    expect(await behind(refused)).toMatchObject({
      status: 'failed',
      holdUnits: (exact - 1) * 100,
      chargedUnits: 0,
    });
    const allowed = await invoke(market, buyer, agentId, { input, max_cost_credits: exact });
    expect(allowed.body.usage?.credits_charged).toBe(exact);
  });

  it('gives the unused part of its hold back in the transaction of the charge', async () => {
    const buyer = await register(market, 'buyer', 2_000);
    const agentId = await putPriced(perToken('10', 1_000));
    const reply = await invoke(market, buyer, agentId, { input: { text: 'x'.repeat(2_000) } });
    const credits = reply.body.usage?.credits_charged ?? 0;
    expect(credits).toBeGreaterThan(0);
    const { moves, transactions } = await behind(reply);
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
    const agentId = await putPriced(perToken('10', 1_000));
    expect(outcomeOf(await invoke(market, buyer, agentId, { input: {} }))).toEqual([
      402,
      'insufficient_credits',
    ]);
    const reply = await invoke(market, buyer, agentId, { input: {}, max_cost_credits: 20 });
    expect(reply.status).toBe(200);
    expect((await behind(reply)).holdUnits).toBe(2_000);
  });

  it('carries at most 1 MiB each way', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(perToken('0.001', 100));
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
    expect((await behind(refused)).chargedUnits).toBe(0);
  });

  it('ignores what the agent says about its own usage', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(perToken('1000', 5_000));
    const output = { usage: { tokens_in: 1_000_000, tokens_out: 0, credits_charged: 4_999 }, ok: true };
    const headers = { 'x-tokens-out': '1000000', 'x-credits-charged': '4999' };
    agent.behave({ kind: 'answer', output, headers });
    const reply = await invoke(market, buyer, agentId, { input: {} });
    const credits = tokensOf({}) + tokensOf(output);
    expect(reply.body.usage).toMatchObject({ tokens_out: tokensOf(output), credits_charged: credits });
    expect((await money(buyer)).wallet).toBe(500_000 - credits * 100);
  });
});

describe('a call that is paid by seconds', () => {
  it('costs the time that the agent took, rounded up', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(perSecond('12.5'));
    agent.behave({ kind: 'slow', ms: 700 });
    const reply = await invoke(market, buyer, agentId, { input: { text: 'hello' } });
    const { duration_ms: durationMs = 0, credits_charged: credits } = reply.body.usage ?? {};
    expect(durationMs).toBeGreaterThanOrEqual(700);
    expect(credits).toBe(Math.ceil((durationMs * 12.5) / 1_000));
    expect((await money(buyer)).wallet).toBe(500_000 - (credits ?? 0) * 100);
  });

  it('costs max_credits_per_call at most, and then runs on', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(perSecond('100', 3));
    agent.behave({ kind: 'slow', ms: 300 });
    const reply = await invoke(market, buyer, agentId, { input: {}, max_cost_credits: 3 });
    expect(reply.body.usage?.credits_charged).toBe(3);
  });

  it('is ended as soon as it is certain to be above the ceiling, and is free', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(perSecond('10'));
    agent.behave({ kind: 'hangs' });
    const reply = await invoke(market, buyer, agentId, { input: {}, max_cost_credits: 8 });
    expect(outcomeOf(reply)).toEqual([402, 'max_cost_exceeded']);
    const [delivery] = agent.deliveries;
    await untilClosed();
    const openForMs = (delivery?.closedAt ?? 0) - (delivery?.at ?? 0);
    expect(openForMs).toBeGreaterThan(500);
    expect(openForMs).toBeLessThan(800 + 200);
    expect(await money(buyer)).toEqual({ wallet: 500_000, escrow: 0 });
    expect(await behind(reply)).toMatchObject({ status: 'failed', holdUnits: 800, chargedUnits: 0 });
  });

  it('is refused before the call when the ceiling is 0', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(perSecond('0.001'));
    const reply = await invoke(market, buyer, agentId, { input: {}, max_cost_credits: 0 });
    expect(outcomeOf(reply)).toEqual([402, 'max_cost_exceeded']);
    expect(agent.deliveries).toHaveLength(0);
    expect(await callsOf(agentId)).toBe(0);
  });

  it('ends at timeout_ms when that comes before the ceiling', async () => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(perSecond('1'), { timeoutMs: 1_000 });
    agent.behave({ kind: 'hangs' });
    const reply = await invoke(market, buyer, agentId, { input: {}, max_cost_credits: 500 });
    expect(outcomeOf(reply)).toEqual([504, 'agent_timeout']);
    expect((await money(buyer)).wallet).toBe(500_000);
  });

  async function untilClosed(): Promise<void> {
    while (agent.deliveries.some(({ closedAt }) => closedAt === undefined)) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
});

describe('whatever a call is paid by', () => {
  const models: [string, Price][] = [
    ['per_call', { model: 'per_call', credits_per_call: 4 }],
    ['per_token', perToken('5')],
    ['per_second', perSecond('5')],
  ];

  it.each(models)('its usage is told: %s', async (_name, pricing) => {
    const buyer = await register(market, 'buyer', 5_000);
    const agentId = await putPriced(pricing);
    agent.behave({ kind: 'slow', ms: 30 });
    const input = { text: 'how many tokens are these?' };
    const reply = await invoke(market, buyer, agentId, { input });
    const { usage } = reply.body;
    expect(usage).toMatchObject({ tokens_in: tokensOf(input), tokens_out: tokensOf(input) });
    expect(usage?.duration_ms).toBeGreaterThanOrEqual(30);
    expect((await money(buyer)).wallet).toBe(500_000 - (usage?.credits_charged ?? 0) * 100);
    const read = await fetch(`${market.url}/v1/invocations/${reply.body.invocation_id}`, {
      headers: { cookie: buyer.cookie },
    });
    expect(await read.json()).toMatchObject({ status: 'succeeded', usage });
  });

  it.each(models)('a free call stays free under a ceiling of 0: %s', async (_name, pricing) => {
    const buyer = await register(market, 'buyer');
    const agentId = await putPriced(pricing, { freeTierCalls: 1 });
    const reply = await invoke(market, buyer, agentId, { input: { text: 'free' }, max_cost_credits: 0 });
    expect(reply.body.usage?.credits_charged).toBe(0);
    const second = await invoke(market, buyer, agentId, { input: { text: 'free' }, max_cost_credits: 0 });
    expect(outcomeOf(second)).toEqual([402, 'max_cost_exceeded']);
  });
});

function rawJson(json: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`;
}

async function callsOf(agentId: string): Promise<number> {
  const { rowCount } = await market.owner.query('SELECT FROM invocations WHERE agent_id = $1', [agentId]);
  return rowCount ?? -1;
}

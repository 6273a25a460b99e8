/** A key makes retries safe, in one API process and across two (contract, "Invocation"; security reference, T9). */
import { setTimeout as sleep } from 'node:timers/promises';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import {
  balance,
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  startMarket,
  type InvokeReply,
  type TestMarket,
  type TestUser,
} from '../support/market';
import { request } from '../support/publishing';

const PRICE = 10;
const CALLERS = 50;

let market: TestMarket;
let second: TestMarket;
let developer: TestUser;
let agent: TestAgent;
let agentId: string;
let keys = 0;

beforeAll(async () => {
  market = await startMarket();
  second = await startMarket({ share: market });
  developer = await register(market, 'developer');
  agent = await startAgent();
  ({ agentId } = await putLive(market, developer.userId, agent.url, { credits: PRICE, timeoutMs: 20_000 }));
});
beforeEach(() => {
  agent.behave({ kind: 'echo' });
  agent.forget();
});
afterAll(async () => {
  await agent.stop();
  await expectWholeLedger(market);
  await second.stop();
  await market.stop();
});

function newKey(): string {
  keys += 1;
  return `order-${keys}`;
}

const INPUT = { text: 'once' };
const outcomeOf = (reply: InvokeReply) => [reply.status, reply.body.error?.code];
const walletOf = async (buyer: TestUser) => (await balance(market.owner, buyer.userId, 'wallet')) / 100;

function callWith(
  key: string,
  buyer: TestUser,
  at: TestMarket = market,
  input: unknown = INPUT,
): Promise<InvokeReply> {
  return invoke(at, buyer, agentId, { input, idempotency_key: key });
}

/** The agent answers only when the returned function is called. */
function holdAnswers(then?: { kind: 'status'; status: number }): () => void {
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  agent.behave({ kind: 'waits', until, ...(then ? { then } : {}) });
  return release;
}

/** 50 callers with one key over both processes, all of them there before the agent answers. */
async function storm(
  key: string,
  buyer: TestUser,
  then?: { kind: 'status'; status: number },
): Promise<InvokeReply[]> {
  const release = holdAnswers(then);
  const callers = Array.from({ length: CALLERS }, (_, n) => callWith(key, buyer, n % 2 ? second : market));
  await agent.waitForDeliveries(1, 10_000);
  await sleep(1_500);
  release();
  return Promise.all(callers);
}

describe('callers with one key', () => {
  it('share one agent call, one charge and one answer over both processes', async () => {
    const buyer = await register(market, 'buyer', 100);
    const key = newKey();
    const replies = await storm(key, buyer);
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: CALLERS }, () => 200));
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(replies[0]?.body).toMatchObject({ output: INPUT, usage: { credits_charged: PRICE } });
    expect(agent.deliveries).toHaveLength(1);
    expect(await walletOf(buyer)).toBe(100 - PRICE);
    for (const at of [market, second]) {
      const replay = await callWith(key, buyer, at);
      expect(replay.headers.get('idempotent-replayed')).toBe('true');
      expect(replay.body).toEqual(replies[0]?.body);
    }
    expect(agent.deliveries).toHaveLength(1);
  });

  it('share one failure over both processes, and nobody is charged', async () => {
    const buyer = await register(market, 'buyer', 100);
    const replies = await storm(newKey(), buyer, { kind: 'status', status: 500 });
    expect(new Set(replies.map((reply) => JSON.stringify(outcomeOf(reply))))).toEqual(
      new Set(['[502,"agent_error"]']),
    );
    expect(new Set(replies.map(({ body }) => body.invocation_id)).size).toBe(1);
    expect(agent.deliveries).toHaveLength(1);
    expect(await walletOf(buyer)).toBe(100);
  });

  it('are answered in the other process when the call ends, not at its next look a second later', async () => {
    const buyer = await register(market, 'buyer', 100);
    const delays: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const key = newKey();
      const release = holdAnswers();
      const first = callWith(key, buyer);
      await agent.waitForDeliveries(round + 1);
      const attached = callWith(key, buyer, second).then(({ status }) => ({ status, at: performance.now() }));
      await sleep(300);
      release();
      const endedAt = await first.then(() => performance.now());
      const { status, at } = await attached;
      expect(status).toBe(200);
      delays.push(at - endedAt);
    }
    expect(delays.sort((a, b) => a - b)[2]).toBeLessThan(250);
  });
});

describe('a key after its call', () => {
  it('runs again when the call failed, and is charged once', async () => {
    const buyer = await register(market, 'buyer', 100);
    const key = newKey();
    agent.behave({ kind: 'status', status: 500 });
    expect((await callWith(key, buyer)).status).toBe(502);
    expect((await callWith(key, buyer, second)).status).toBe(502);
    agent.behave({ kind: 'echo' });
    const reply = await callWith(key, buyer, second);
    expect([reply.status, reply.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(agent.deliveries).toHaveLength(3);
    expect((await callWith(key, buyer)).body).toEqual(reply.body);
    expect(await walletOf(buyer)).toBe(100 - PRICE);
  });

  it('may be used for something else when the call failed or was refused', async () => {
    const buyer = await register(market, 'buyer', 100);
    const key = newKey();
    agent.behave({ kind: 'status', status: 500 });
    await callWith(key, buyer);
    expect(outcomeOf(await callWith(key, buyer, market, { wrong: true }))).toEqual([
      422,
      'input_schema_mismatch',
    ]);
    agent.behave({ kind: 'echo' });
    expect((await callWith(key, buyer, market, { text: 'another' })).body.output).toEqual({
      text: 'another',
    });
  });

  it('is refused for another input or agent, while the call runs and afterwards, in both processes', async () => {
    const buyer = await register(market, 'buyer', 100);
    const other = await putLive(market, developer.userId, agent.url, { credits: PRICE });
    const key = newKey();
    const release = holdAnswers();
    const running = callWith(key, buyer);
    await agent.waitForDeliveries(1);
    const misuses = async () => [
      ...(await Promise.all([market, second].map((at) => callWith(key, buyer, at, { text: 'two' })))),
      ...(await Promise.all(
        [market, second].map((at) =>
          invoke(at, buyer, other.agentId, { input: INPUT, idempotency_key: key }),
        ),
      )),
    ];
    const early = await misuses();
    release();
    const { invocation_id: invocationId } = (await running).body;
    for (const reply of [...early, ...(await misuses())]) {
      expect(outcomeOf(reply)).toEqual([409, 'idempotency_key_reused']);
      expect(reply.body.invocation_id).toBe(invocationId);
    }
    expect(agent.deliveries).toHaveLength(1);
    expect(await walletOf(buyer)).toBe(100 - PRICE);
  });

  it('means the same input however its JSON is written', async () => {
    const buyer = await register(market, 'buyer', 100);
    const key = newKey();
    const first = await callWith(key, buyer, market, { text: 'é', n: 10 });
    const body = `{"idempotency_key":"${key}","input":{ "n" : 1e1, "text":"\\u00e9" }}`;
    expect((await invoke(second, buyer, agentId, body)).body).toEqual(first.body);
    expect(agent.deliveries).toHaveLength(1);
  });

  it('is 409 already_disputed after a dispute, for who waits and for who comes later', async () => {
    const buyer = await register(market, 'buyer', 100);
    const key = newKey();
    const release = holdAnswers();
    const waiting = [callWith(key, buyer), callWith(key, buyer, second)];
    await agent.waitForDeliveries(1);
    await sleep(500);
    const { rows } = await market.owner.query<{ invocation_id: string }>(
      'SELECT invocation_id FROM invocations WHERE buyer_user_id = $1',
      [buyer.userId],
    );
    const dispute = {
      invocation_id: rows[0]?.invocation_id,
      reason: 'other',
      description: 'I did not want this.',
    };
    expect((await request(second, buyer, 'POST', '/v1/billing/disputes', dispute)).status).toBe(201);
    for (const reply of await Promise.all(waiting))
      expect(outcomeOf(reply)).toEqual([409, 'already_disputed']);
    release();
    for (const at of [market, second])
      expect(outcomeOf(await callWith(key, buyer, at))).toEqual([409, 'already_disputed']);
    expect(await walletOf(buyer)).toBe(100);
  });

  it('answers without output when the stored answer has expired, and charges nothing', async () => {
    const buyer = await register(market, 'buyer', 100);
    const key = newKey();
    const first = await callWith(key, buyer);
    await market.owner.query(
      `UPDATE invocation_answers SET expires_at = now() - interval '1 second' WHERE invocation_id = $1`,
      [first.body.invocation_id],
    );
    for (const at of [market, second]) {
      const replay = await callWith(key, buyer, at);
      expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      expect(replay.body).toEqual({ ...first.body, output: null, output_expired: true });
    }
    expect(agent.deliveries).toHaveLength(1);
    expect(await walletOf(buyer)).toBe(100 - PRICE);
  });
});

describe('a key', () => {
  it('is its buyer’s own', async () => {
    const [one, other] = [await register(market, 'buyer', 100), await register(market, 'buyer', 100)];
    const key = newKey();
    const replies = [await callWith(key, one), await callWith(key, other, second, { text: 'mine' })];
    expect(replies.map(({ body }) => body.output)).toEqual([INPUT, { text: 'mine' }]);
    expect([await walletOf(one), await walletOf(other)]).toEqual([100 - PRICE, 100 - PRICE]);
  });

  it('may come as header or in the body, and is the same key', async () => {
    const buyer = await register(market, 'buyer', 100);
    const key = newKey();
    const byHeader = await invoke(market, buyer, agentId, { input: INPUT }, { 'idempotency-key': key });
    const both = await invoke(
      market,
      buyer,
      agentId,
      { input: INPUT, idempotency_key: key },
      { 'idempotency-key': key },
    );
    expect((await callWith(key, buyer)).body).toEqual(byHeader.body);
    expect(both.body).toEqual(byHeader.body);
    expect(agent.deliveries).toHaveLength(1);
  });

  it('has 1 to 255 characters', async () => {
    const buyer = await register(market, 'buyer', 100);
    for (const key of ['', 'k'.repeat(256), 'nul\0', '\ud800', 7, null]) {
      const reply = await invoke(market, buyer, agentId, { input: INPUT, idempotency_key: key });
      expect([key, reply.status, reply.body.detail?.[0]?.loc]).toEqual([
        key,
        422,
        ['body', 'idempotency_key'],
      ]);
    }
    for (const key of ['k'.repeat(256), 'two words', 'ünsichtbar']) {
      const reply = await invoke(market, buyer, agentId, { input: INPUT }, { 'idempotency-key': key });
      expect(outcomeOf(reply)).toEqual([400, 'invalid_header']);
    }
    const differing = await invoke(
      market,
      buyer,
      agentId,
      { input: INPUT, idempotency_key: 'a' },
      { 'idempotency-key': 'b' },
    );
    expect(outcomeOf(differing)).toEqual([400, 'invalid_header']);
    expect(agent.deliveries).toHaveLength(0);
    const longest = await callWith('ключ 🙂'.padEnd(255, 'k'), buyer);
    expect(longest.status).toBe(200);
  });

  it('protects a call whose caller has gone: the retry gets the answer that was paid', async () => {
    const buyer = await register(market, 'buyer', 100);
    const key = newKey();
    const release = holdAnswers();
    const leaving = new AbortController();
    const left = fetch(`${market.url}/v1/agents/${agentId}/invoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: buyer.cookie, 'idempotency-key': key },
      body: JSON.stringify({ input: INPUT }),
      signal: leaving.signal,
    });
    await agent.waitForDeliveries(1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    release();
    await eventually(async () => (await walletOf(buyer)) === 100 - PRICE);
    const replay = await callWith(key, buyer, second);
    expect([replay.body.output, agent.deliveries.length]).toEqual([INPUT, 1]);
    expect(await walletOf(buyer)).toBe(100 - PRICE);
  });
});

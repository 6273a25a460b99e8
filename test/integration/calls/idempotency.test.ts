/** A key makes retries safe, in one API process and across two (contract, "Invocation"; security reference, T9). */
import { eventually, invoke, register } from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import {
  CALLERS,
  INPUT,
  PRICE,
  newKey,
  outcomeOf,
  startSameKeyScene,
  type SameKeyScene,
} from '../../support/calls/same-key';
import { realTime } from '../../support/waits';

let scene: SameKeyScene;
let market: SameKeyScene['market'];
let second: SameKeyScene['second'];
let agent: SameKeyScene['agent'];
let agentId: SameKeyScene['agentId'];
let callWith: SameKeyScene['callWith'];
let holdAnswers: SameKeyScene['holdAnswers'];
let storm: SameKeyScene['storm'];
let walletOf: SameKeyScene['walletOf'];

beforeAll(async () => {
  scene = await startSameKeyScene();
  ({ market, second, agent, agentId, callWith, holdAnswers, storm, walletOf } = scene);
});
beforeEach(() => {
  agent.behave({ kind: 'echo' });
  agent.forget();
});
afterAll(() => scene.stop());

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

  it('share one failure over both processes, without a charge', async () => {
    const buyer = await register(market, 'buyer', 100);
    const replies = await storm(newKey(), buyer, { kind: 'status', status: 500 });
    expect(new Set(replies.map((reply) => JSON.stringify(outcomeOf(reply))))).toEqual(
      new Set(['[502,"agent_error"]']),
    );
    expect(new Set(replies.map(({ body }) => body.invocation_id)).size).toBe(1);
    expect(agent.deliveries).toHaveLength(1);
    expect(await walletOf(buyer)).toBe(100);
  });

  it('are answered in the other process when the call ends, not at the next poll a second later', async () => {
    const buyer = await register(market, 'buyer', 100);
    const delays: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const key = newKey();
      const release = holdAnswers();
      const first = callWith(key, buyer);
      await agent.waitForDeliveries(round + 1);
      const attached = callWith(key, buyer, second).then(({ status }) => ({ status, at: performance.now() }));
      await realTime(300, 'the second caller begins to wait, which nothing shows');
      release();
      const endedAt = await first.then(() => performance.now());
      const { status, at } = await attached;
      expect(status).toBe(200);
      delays.push(at - endedAt);
    }
    expect(delays.sort((a, b) => a - b)[2]).toBeLessThan(250);
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

  it('protects a call whose caller has disconnected: the retry gets the answer that was paid', async () => {
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

  it('keeps the answer of a call without a key whose caller has disconnected, to be read by its id', async () => {
    const buyer = await register(market, 'buyer', 100);
    const release = holdAnswers();
    const leaving = new AbortController();
    const left = fetch(`${market.url}/v1/agents/${agentId}/invoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: buyer.cookie },
      body: JSON.stringify({ input: INPUT }),
      signal: leaving.signal,
    });
    await agent.waitForDeliveries(1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    type List = { items: { invocation_id: string }[] };
    const { items } = (await request<List>(market, buyer, 'GET', '/v1/invocations')).body;
    const invocationId = items[0]?.invocation_id ?? '';
    const { registry } = market.container;
    await eventually(() => Promise.resolve(registry.find(invocationId)?.gone?.aborted === true));
    release();
    const read = async () => (await request(market, buyer, 'GET', `/v1/invocations/${invocationId}`)).body;
    await eventually(async () => (await read())['status'] === 'succeeded');
    expect(await read()).toMatchObject({ output: INPUT, usage: { credits_charged: PRICE } });
  });
});

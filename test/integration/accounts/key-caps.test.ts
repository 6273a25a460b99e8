/** What a key spends, and that it never spends more than its cap (contract, "Accounts, sessions, keys"). */
import { prepareInput } from '../../../src/api/bodies/prepares';
import { checkLedger } from '../../../src/services/ledger/ledger-check';
import { startAgent } from '../../support/agents/test-agent';
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
} from '../../support/market';
import { passMidnight } from '../../support/accounts/budgets';
import { ALL_SCOPES, makeKey, readKey, type TestKey } from '../../support/accounts/keys';
import { chat, CHAT_SCHEMAS } from '../../support/calls/chat';
import { request } from '../../support/catalogue/publishing';
import { startScene, type Scene } from '../../support/scene';

const PRICE = 10;
const CALLERS = 50;

let scene: Scene;
let market: TestMarket;
let second: TestMarket;
let buyer: TestUser;

beforeAll(async () => {
  scene = await startScene({ market: {}, agent: { credits: PRICE, timeoutMs: 20_000 } });
  ({ market, buyer } = scene);
  second = await startMarket({ share: market });
});
beforeEach(() => {
  scene.agent.behave({ kind: 'echo' });
  scene.agent.forget();
});
afterAll(async () => {
  await second.stop();
  await scene.stop();
});

const outcomeOf = (reply: InvokeReply) => [reply.status, reply.body.error?.code];
const spentBy = async (key: TestKey, who = buyer) => (await readKey(market, who, key.key_id))?.spent_credits;

function callBy(key: TestKey, at: TestMarket = market, agentId = scene.agentId, body: object = {}) {
  return invoke(
    at,
    { cookie: '' },
    agentId,
    { input: { text: 'by key' }, ...body },
    { 'x-api-key': key.key },
  );
}

async function storm(key: TestKey, admitted: number): Promise<InvokeReply[]> {
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  scene.agent.behave({ kind: 'waits', until });
  let refused = 0;
  const calls = Array.from({ length: CALLERS }, async (_, n) => {
    const reply = await callBy(key, n % 2 ? second : market);
    if (reply.status !== 200) refused += 1;
    return reply;
  });
  await eventually(async () => refused === CALLERS - admitted, 30_000);
  await scene.agent.waitForDeliveries(admitted, 30_000);
  release();
  return Promise.all(calls);
}

describe('a capped key', () => {
  it('spends its cap and not a credit more in 50 parallel calls over two processes', async () => {
    const key = await makeKey(market, buyer, { credit_cap: 15 * PRICE + 7 });
    const before = await balance(market.owner, buyer.userId, 'wallet');
    const replies = await storm(key, 15);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(15);
    const refusals = replies.filter(({ status }) => status !== 200).map(outcomeOf);
    expect(refusals).toEqual(Array.from({ length: CALLERS - 15 }, () => [402, 'credit_cap_exceeded']));
    expect(scene.agent.deliveries).toHaveLength(15);
    expect(await spentBy(key)).toBe(15 * PRICE);
    expect(before - (await balance(market.owner, buyer.userId, 'wallet'))).toBe(15 * PRICE * 100);
    expect(outcomeOf(await callBy(key))).toEqual([402, 'credit_cap_exceeded']);
  });

  it('reserves the price of calls in flight, and releases it when they fail', async () => {
    const key = await makeKey(market, buyer, { credit_cap: PRICE });
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    scene.agent.behave({ kind: 'waits', until, then: { kind: 'status', status: 500 } });
    const failing = callBy(key);
    await scene.agent.waitForDeliveries(1);
    expect(await spentBy(key)).toBe(0);
    expect(outcomeOf(await callBy(key, second))).toEqual([402, 'credit_cap_exceeded']);
    release();
    expect(outcomeOf(await failing)).toEqual([502, 'agent_error']);
    expect(await spentBy(key)).toBe(0);
    scene.agent.behave({ kind: 'echo' });
    expect((await callBy(key, second)).status).toBe(200);
    expect(await spentBy(key)).toBe(PRICE);
  });

  it('gets another cap, which covers what it has spent and what its calls in flight may cost', async () => {
    const key = await makeKey(market, buyer, { credit_cap: PRICE });
    const change = async (body: object, who: Pick<TestUser, 'cookie'> = buyer) => {
      const path = `/v1/keys/${key.key_id}`;
      return request<{ credit_cap: number | null; name: string; error?: unknown }>(
        market,
        who,
        'PATCH',
        path,
        body,
      );
    };
    expect((await callBy(key)).status).toBe(200);
    expect(outcomeOf(await callBy(key))).toEqual([402, 'credit_cap_exceeded']);
    expect((await change({ credit_cap: 2 * PRICE, name: 'More' })).body).toMatchObject({
      credit_cap: 2 * PRICE,
      name: 'More',
    });
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    scene.agent.behave({ kind: 'waits', until });
    scene.agent.forget();
    const running = callBy(key);
    await scene.agent.waitForDeliveries(1);
    const tooLow = await change({ credit_cap: 2 * PRICE - 1 });
    expect([tooLow.status, JSON.stringify(tooLow.body)]).toEqual([
      422,
      expect.stringContaining(`must be at least ${2 * PRICE}`),
    ]);
    expect((await change({ credit_cap: 2 * PRICE })).status).toBe(200);
    release();
    expect((await running).status).toBe(200);
    expect(await spentBy(key)).toBe(2 * PRICE);
    expect((await change({ name: 'Still capped' })).body.credit_cap).toBe(2 * PRICE);
    expect((await change({ credit_cap: null })).body.credit_cap).toBeNull();
    scene.agent.behave({ kind: 'echo' });
    expect((await callBy(key, second)).status).toBe(200);
    expect((await change({ credit_cap: 1_000 }, await register(market, 'buyer'))).status).toBe(404);
  });

  it('limits neither its owner’s session nor another key', async () => {
    const key = await makeKey(market, buyer, { credit_cap: PRICE - 1 });
    expect(outcomeOf(await callBy(key))).toEqual([402, 'credit_cap_exceeded']);
    expect((await callBy(await makeKey(market, buyer))).status).toBe(200);
    expect((await invoke(market, buyer, scene.agentId, { input: { text: 'by hand' } })).status).toBe(200);
    expect(await spentBy(key)).toBe(0);
  });

  it('reserves the maximum cost of a metered call', async () => {
    const pricing = { model: 'per_token', credits_per_1k_tokens: '1', max_credits_per_call: 20 } as const;
    const { agentId } = await putLive(market, scene.developer.userId, scene.agent.url, { pricing });
    const key = await makeKey(market, buyer, { credit_cap: 10 });
    expect(outcomeOf(await callBy(key, market, agentId))).toEqual([402, 'credit_cap_exceeded']);
    const reply = await callBy(key, market, agentId, { max_cost_credits: 10 });
    expect(reply.body.usage?.credits_charged).toBe(1);
    expect(await spentBy(key)).toBe(1);
  });

  it('may make free calls and replay paid ones after it has reached its cap', async () => {
    const { agentId } = await putLive(market, scene.developer.userId, scene.agent.url, { freeTierCalls: 1 });
    const key = await makeKey(market, buyer, { credit_cap: PRICE });
    const paid = await callBy(key, market, scene.agentId, { idempotency_key: 'once' });
    const replay = await callBy(key, second, scene.agentId, { idempotency_key: 'once' });
    expect(replay.body).toEqual(paid.body);
    expect((await callBy(key, market, agentId)).body.usage?.credits_charged).toBe(0);
    expect(outcomeOf(await callBy(key, market, agentId))).toEqual([402, 'credit_cap_exceeded']);
    expect(await spentBy(key)).toBe(PRICE);
  });

  it('gets back what a dispute returns, before and after the answer', async () => {
    const key = await makeKey(market, buyer, { credit_cap: PRICE });
    const { body } = await callBy(key);
    const dispute = {
      invocation_id: body.invocation_id,
      reason: 'other',
      description: 'Not what I asked for.',
    };
    const opened = await request<{ dispute_id: string }>(
      market,
      buyer,
      'POST',
      '/v1/billing/disputes',
      dispute,
    );
    expect(await spentBy(key)).toBe(PRICE);
    const answer = { decision: 'accept', statement: 'You are right.' };
    const path = `/v1/billing/disputes/${opened.body.dispute_id}/respond`;
    expect((await request(market, scene.developer, 'POST', path, answer)).status).toBe(200);
    await eventually(async () => (await spentBy(key)) === 0);
    expect((await callBy(key)).status).toBe(200);
    expect(await spentBy(key)).toBe(PRICE);
  });
});

describe('a cap that begins anew', () => {
  const CAP = 5 * PRICE;
  const made = async (wish: Parameters<typeof makeKey>[2]) => {
    buyer = await register(market, 'buyer', 1_000);
    return makeKey(market, buyer, { credit_cap: CAP, ...wish });
  };
  const stateOf = (key: TestKey) => readKey(market, buyer, key.key_id);
  const change = (key: TestKey, body: object) =>
    request<TestKey>(market, buyer, 'PATCH', `/v1/keys/${key.key_id}`, body);
  const count = (replies: InvokeReply[]) => replies.filter(({ status }) => status === 200).length;
  const dispute = async (invocationId: string | undefined) => {
    const body = { invocation_id: invocationId, reason: 'other', description: 'Not what I asked for.' };
    const opened = await request<{ dispute_id: string }>(market, buyer, 'POST', '/v1/billing/disputes', body);
    const path = `/v1/billing/disputes/${opened.body.dispute_id}/respond`;
    const answer = { decision: 'accept', statement: 'You are right.' };
    expect((await request(market, scene.developer, 'POST', path, answer)).status).toBe(200);
  };
  afterEach(() => expectWholeLedger(market));

  it('is exact for fifty calls on both sides of midnight, also while calls of the day before run', async () => {
    const key = await made({ credit_cap_window: 'day' });
    const waiting: Promise<InvokeReply>[] = [];
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    scene.agent.behave({ kind: 'waits', until });
    let refused = 0;
    const callAll = () => {
      for (let n = 0; n < CALLERS; n += 1)
        waiting.push(
          callBy(key, n % 2 ? second : market).then((reply) => {
            if (reply.status !== 200) refused += 1;
            return reply;
          }),
        );
    };
    callAll();
    await eventually(async () => refused === CALLERS - 5, 30_000);
    expect(await stateOf(key)).toMatchObject({ used_credits: CAP, spent_credits: 0 });
    await passMidnight(market.owner, buyer.userId);
    expect(await stateOf(key)).toMatchObject({ used_credits: 0 });
    callAll();
    await eventually(async () => refused === 2 * (CALLERS - 5), 30_000);
    release();
    expect(count(await Promise.all(waiting))).toBe(10);
    expect(await stateOf(key)).toMatchObject({ used_credits: CAP, spent_credits: 2 * CAP });
    expect(outcomeOf(await callBy(key))).toEqual([402, 'credit_cap_exceeded']);
  });

  it('is exact for fifty calls that midnight divides', async () => {
    const key = await made({ credit_cap_window: 'day' });
    const calls = Array.from({ length: CALLERS }, (_, n) => callBy(key, n % 2 ? second : market));
    await Promise.all([...calls, passMidnight(market.owner, buyer.userId)]);
    await Promise.all(Array.from({ length: CALLERS }, (_, n) => callBy(key, n % 2 ? second : market)));
    const { rows } = await market.owner.query<{ units: string }>(
      `SELECT sum(charged_units) AS units FROM invocations WHERE key_id = $1 AND status = 'succeeded'
        GROUP BY invoked_at > now() - interval '12 hours' ORDER BY 1`,
      [key.key_id],
    );
    expect(rows.every(({ units }) => Number(units) <= CAP * 100)).toBe(true);
    expect(rows.at(-1)).toEqual({ units: String(CAP * 100) });
    expect(await stateOf(key)).toMatchObject({ used_credits: CAP });
  });

  it('gets back in the window of its hold what a dispute returns', async () => {
    const key = await made({ credit_cap_window: 'day' });
    const { body: before } = await callBy(key);
    await passMidnight(market.owner, buyer.userId);
    const { body: after } = await callBy(key);
    await dispute(before.invocation_id);
    expect(await stateOf(key)).toMatchObject({ used_credits: PRICE, spent_credits: PRICE });
    await dispute(after.invocation_id);
    expect(await stateOf(key)).toMatchObject({ used_credits: 0, spent_credits: 0 });
  });

  it('counts from the change of its window on, may be below what was spent, and says when it begins anew', async () => {
    const key = await made({ credit_cap_window: 'month', call_cap: 2 * PRICE });
    expect(key).toMatchObject({
      credit_cap_window: 'month',
      used_credits: 0,
      time_zone: 'UTC',
      call_cap: 2 * PRICE,
    });
    const { body: early } = await callBy(key);
    expect((await change(key, { credit_cap: 1 })).body).toMatchObject({ credit_cap: 1, used_credits: PRICE });
    const refused = await callBy(key);
    expect(refused.body.error?.message).toContain(`for this month, until ${key.window_ends_at}`);
    expect((await change(key, { credit_cap_window: 'lifetime' })).status).toBe(422);
    expect((await change(key, { credit_cap_window: 'week', credit_cap: CAP })).body.used_credits).toBe(0);
    await callBy(key);
    await dispute(early.invocation_id);
    expect(await stateOf(key)).toMatchObject({ used_credits: PRICE });
    expect((await change(key, { credit_cap_window: 'lifetime' })).body).toMatchObject({
      window_ends_at: null,
    });
  });

  it('keeps the window that runs when the account moves to another time zone', async () => {
    const key = await made({ credit_cap_window: 'day' });
    await callBy(key);
    const end = (await stateOf(key))?.window_ends_at;
    const moved = await request<object>(market, buyer, 'PATCH', '/v1/auth/me', {
      time_zone: 'Asia/Kathmandu',
    });
    expect(moved.body).toMatchObject({ time_zone: 'Asia/Kathmandu' });
    expect(await stateOf(key)).toMatchObject({
      used_credits: PRICE,
      window_ends_at: end,
      time_zone: 'Asia/Kathmandu',
    });
    const fresh = await makeKey(market, buyer, { credit_cap: CAP, credit_cap_window: 'day' });
    expect(fresh.window_ends_at).toMatch(/T18:15:00\.000Z$/);
    for (const zone of ['Mars/Olympus', '+05:30', 'Europe/Berlin; DROP', ''])
      expect((await request(market, buyer, 'PATCH', '/v1/auth/me', { time_zone: zone })).status).toBe(422);
  });
});

describe('a key that makes keys', () => {
  const parentOf = (wish: object = {}) =>
    makeKey(market, buyer, { scopes: ['agents:invoke', 'agents:read', 'keys:manage'], ...wish });
  const by = async <T>(key: TestKey, method: string, path: string, body?: object) => {
    const response = await fetch(`${market.url}${path}`, {
      method,
      headers: { 'x-api-key': key.key, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (response.status === 204 ? {} : await response.json()) as T };
  };
  const make = (parent: TestKey, wish: object = {}) =>
    by<TestKey>(parent, 'POST', '/v1/keys', { name: 'user', scopes: ['agents:invoke'], ...wish });
  const listed = async (key: TestKey) => (await by<{ items: TestKey[] }>(key, 'GET', '/v1/keys')).body.items;
  beforeEach(async () => {
    buyer = await register(market, 'buyer', 1_000);
  });
  afterEach(() => expectWholeLedger(market));

  it('gives them no more than it has, and its own limits where they name none', async () => {
    const expires = new Date(Date.now() + 86_400_000).toISOString();
    const limits = { credit_cap: 50, credit_cap_window: 'day', min_trust_score: 0, agents: [scene.agentId] };
    const parent = await parentOf({ ...limits, expires_at: expires });
    expect((await make(parent)).body).toMatchObject({
      ...limits,
      expires_at: expires,
      parent_key_id: parent.key_id,
    });
    for (const wider of [
      { scopes: ['billing:read', 'keys:manage'] },
      { credit_cap: 51 },
      { agents: ['agt_other_v1'] },
      { expires_at: new Date(Date.now() + 2 * 86_400_000).toISOString() },
    ]) {
      const refused = await make(parent, wider);
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([
        422,
        expect.stringContaining('"wider"'),
      ]);
    }
    expect((await make((await make(parent, { credit_cap: 10 })).body)).status).toBe(403);
  });

  it('bounds what they spend together, in fifty calls at once', async () => {
    const parent = await parentOf({ credit_cap: 5 * PRICE, credit_cap_window: 'month' });
    const children = await Promise.all(
      Array.from({ length: 5 }, () => make(parent, { credit_cap: 3 * PRICE })),
    );
    const calls = Array.from({ length: CALLERS }, (_, n) =>
      callBy(children[n % 5]?.body ?? parent, n % 2 ? second : market),
    );
    expect((await Promise.all(calls)).filter(({ status }) => status === 200)).toHaveLength(5);
    expect(await readKey(market, buyer, parent.key_id)).toMatchObject({
      spent_credits: 5 * PRICE,
      used_credits: 5 * PRICE,
    });
  });

  it('lists and ends its own alone, and they end with it', async () => {
    const [parent, other] = [await parentOf(), await parentOf()];
    const [{ body: one }, { body: two }, { body: foreign }] = [
      await make(parent),
      await make(parent),
      await make(other),
    ];
    expect((await listed(parent)).map(({ key_id: id }) => id)).toEqual([two.key_id, one.key_id]);
    for (const key of [foreign, parent])
      expect((await by(parent, 'DELETE', `/v1/keys/${key.key_id}`)).status).toBe(404);
    expect((await by(parent, 'DELETE', `/v1/keys/${one.key_id}`)).status).toBe(204);
    expect((await callBy(one)).status).toBe(401);
    expect((await callBy(two, second)).status).toBe(200);
    await request(market, buyer, 'PATCH', `/v1/keys/${parent.key_id}`, { agents: ['agt_other_v1'] });
    expect((await callBy(two, second)).status).toBe(403);
    const removal = { method: 'DELETE', headers: { cookie: buyer.cookie } };
    expect((await fetch(`${market.url}/v1/keys/${parent.key_id}`, removal)).status).toBe(204);
    expect((await callBy(two, second)).status).toBe(401);
  });
});

describe('a call by a key', () => {
  it('is its owner’s, and names the key, in plain calls and in streamed turns', async () => {
    const agent = await startAgent();
    const { agentId } = await putLive(market, scene.developer.userId, agent.url, {
      ...CHAT_SCHEMAS,
      credits: 4,
    });
    agent.behave({ kind: 'answer', output: { text: 'hello' } });
    const key = await makeKey(market, buyer);
    const plain = await callBy(key);
    const turn = await chat(market, { cookie: '' }, agentId, undefined, {
      headers: { 'x-api-key': key.key },
    });
    expect(turn.last?.type).toBe('done');
    expect(turn.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
    await agent.stop();
    const { rows } = await market.owner.query<{ key_id: string; buyer_user_id: string }>(
      'SELECT key_id, buyer_user_id FROM invocations WHERE invocation_id = ANY ($1)',
      [[plain.body.invocation_id, turn.last?.invocation_id]],
    );
    const row = { key_id: key.key_id, buyer_user_id: buyer.userId };
    expect(rows).toEqual([row, row]);
    expect(await spentBy(key)).toBe(PRICE + 4);
    const read = await fetch(`${market.url}/v1/invocations/${plain.body.invocation_id}`, {
      headers: { 'x-api-key': key.key },
    });
    expect(await read.json()).toMatchObject({ status: 'succeeded', surface: 'invoke' });
  });

  it('ends as usual when its key is deleted meanwhile, and no other begins', async () => {
    const key = await makeKey(market, buyer, { credit_cap: 100 });
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    scene.agent.behave({ kind: 'waits', until });
    const running = callBy(key);
    await scene.agent.waitForDeliveries(1);
    const deletion = await fetch(`${market.url}/v1/keys/${key.key_id}`, {
      method: 'DELETE',
      headers: { cookie: buyer.cookie },
    });
    expect(deletion.status).toBe(204);
    expect(outcomeOf(await callBy(key, second))).toEqual([401, 'not_authenticated']);
    release();
    expect((await running).status).toBe(200);
  });

  it('is refused at acceptance if the key was deleted after its check', async () => {
    const key = await makeKey(market, buyer);
    await market.owner.query('UPDATE api_keys SET deleted_at = now() WHERE key_id = $1', [key.key_id]);
    const request = { buyerUserId: buyer.userId, keyId: key.key_id, agentId: scene.agentId };
    const call = market.container.invocations.begin({
      ...request,
      keepsBodies: false,
      surface: 'invoke',
      input: prepareInput({ text: 'late' }),
      maxCostCredits: null,
      ceilingCredits: null,
      idempotencyKey: null,
      traceId: '0'.repeat(32),
      hops: 0,
    });
    await expect(call).rejects.toMatchObject({ code: 'not_authenticated' });
  });
});

it('has spent exactly what its calls were charged, as the ledger check proves', async () => {
  const key = await makeKey(market, buyer, { credit_cap: 1_000 });
  await callBy(key);
  const forge = (units: number) =>
    market.owner.query('UPDATE api_keys SET spent_units = spent_units + $2 WHERE key_id = $1', [
      key.key_id,
      units,
    ]);
  const findings = async () => {
    const { proofs } = await checkLedger(market.container.pool);
    return proofs
      .filter(({ total }) => total > 0)
      .map(({ name, findings: [first] }) => [name, first?.subject]);
  };
  expect(await findings()).toEqual([]);
  for (const units of [1, -1]) {
    await forge(units);
    expect(await findings()).toEqual([['keys', key.key_id]]);
    await forge(-units);
  }
  await expect(forge(100_000)).rejects.toThrow('violates check constraint');
  expect(await findings()).toEqual([]);
});

it('lets a developer read usage, earnings and agents of one’s own by key', async () => {
  const { developer } = scene;
  const key = await makeKey(market, developer, { scopes: ALL_SCOPES });
  const stranger = await makeKey(market, await register(market, 'developer'), { scopes: ALL_SCOPES });
  await invoke(market, buyer, scene.agentId, { input: { text: 'counted' } });
  const read = async (path: string, by: TestKey) => {
    const response = await fetch(`${market.url}${path}`, { headers: { 'x-api-key': by.key } });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const usage = await read(`/v1/agents/${scene.agentId}/usage`, key);
  expect(usage.status).toBe(200);
  expect(usage.body['gross_credits']).toBeGreaterThanOrEqual(PRICE);
  expect((await read(`/v1/agents/${scene.agentId}/usage`, stranger)).status).toBe(403);
  expect((await read('/v1/billing/developer/balance', key)).status).toBe(200);
  expect((await read(`/v1/developer/agents/${scene.agentId}`, key)).status).toBe(200);
  const reader = await makeKey(market, developer, { scopes: ['billing:read'] });
  expect((await read(`/v1/agents/${scene.agentId}/usage`, reader)).status).toBe(403);
});

/** What buyers paid and developers earned over time, before and after the calls are rolled up. */
import { rollUpSpend } from '../../../src/stores/billing/spend';
import { groupsSql } from '../../../src/stores/billing/spend-groups';
import { TAGGED_CALLS } from '../../../src/stores/calls/tagged-calls';
import { withTransaction } from '../../../src/stores/db';
import { startHeldAgent } from '../../support/agents/held-agent';
import { makeKey } from '../../support/accounts/keys';
import { request } from '../../support/catalogue/publishing';
import {
  balance,
  expectWholeLedger,
  invoke,
  type InvokeReply,
  putLive,
  register,
  type TestUser,
} from '../../support/market';
import { passMidnight } from '../../support/accounts/budgets';
import { newSlug } from '../../support/names';
import { useScene } from '../../support/use-market';

const scene = useScene();

interface Spend {
  calls: number;
  credits: number;
  days: { date: string; calls: number; credits: number }[];
  agents: { agent_id: string; display_name: string; calls: number; credits: number }[];
  keys: { key_id: string | null; name: string | null; calls: number; credits: number }[];
}
interface Sales {
  calls: number;
  failed: number;
  developer_earnings_credits: number;
  days: { date: string; calls: number }[];
  agents: { agent_id: string; calls: number; failed: number; developer_earnings_credits: number }[];
}

const spendOf = async (cookie: string, query = '') =>
  (await request<Spend>(scene.market, { cookie }, 'GET', `/v1/billing/spend${query}`)).body;
/** Rolls up the calls of now, as if it were later. */
const rollUp = () => rollUpSpend(scene.market.container.pool, 1_000, Date.now() + 1_200_000);

it('is the same before and after the calls are rolled up, by day, agent and key, without free and failed calls', async () => {
  const { market, agent, developer } = scene;
  const buyer = await register(market, 'buyer', 1_000);
  const { agentId: dear } = await putLive(market, developer.userId, agent.url, {
    credits: 30,
    agentId: newSlug('dear'),
  });
  const { agentId: free } = await putLive(market, developer.userId, agent.url, { credits: 5, freeTierCalls: 1, agentId: newSlug('free') }); // prettier-ignore
  const { key } = await makeKey(market, buyer, { scopes: ['agents:invoke'] });
  const input = { input: { text: 'hello' } };
  await invoke(market, buyer, dear, input);
  await invoke(market, buyer, free, input);
  await invoke(market, { cookie: '' }, scene.agentId, input, { 'x-api-key': key });
  agent.behave({ kind: 'status', status: 500 });
  await invoke(market, buyer, dear, input);
  agent.behave({ kind: 'echo' });

  const before = await spendOf(buyer.cookie);
  const today = new Date().toISOString().slice(0, 10);
  expect(before).toMatchObject({ calls: 2, credits: 40 });
  expect(before.days.at(-1)).toEqual({ date: today, calls: 2, credits: 40 });
  expect(before.days[0]?.date).toBe(`${today.slice(0, 8)}01`);
  expect(before.agents).toEqual([
    { agent_id: dear, display_name: 'Echo agent', calls: 1, credits: 30 },
    { agent_id: scene.agentId, display_name: 'Echo agent', calls: 1, credits: 10 },
  ]);
  expect(before.keys.map(({ key_id: id, credits }) => [id === null, credits])).toEqual([
    [true, 30],
    [false, 10],
  ]);
  expect(await rollUp()).toBeGreaterThanOrEqual(4);
  expect(await spendOf(buyer.cookie)).toEqual(before);
  expect(await rollUp()).toBe(0);
  await invoke(market, buyer, dear, input);
  expect(await spendOf(buyer.cookie)).toMatchObject({ calls: 3, credits: 70 });
});

it('passes calls that run, and adds them once they have ended', async () => {
  const { market, developer, agentId: quick } = scene;
  const buyer = await register(market, 'buyer', 1_000);
  const held = await startHeldAgent();
  const { agentId: slow } = await putLive(market, developer.userId, held.url, { credits: 30 });
  const input = { input: { text: 'hello' } };
  const running = invoke(market, buyer, slow, input);
  await held.waitForDeliveries(1);
  await invoke(market, buyer, quick, input);
  await rollUp();
  await rollUp();
  expect(await spendOf(buyer.cookie)).toMatchObject({ calls: 1, credits: 10 });
  held.release();
  await running;
  const ended = await spendOf(buyer.cookie);
  expect(ended).toMatchObject({ calls: 2, credits: 40 });
  await rollUp();
  expect(await spendOf(buyer.cookie)).toEqual(ended);
  const left = await market.owner.query('SELECT FROM spend_waiting WHERE buyer_user_id = $1', [buyer.userId]);
  const days = await market.owner.query<{ calls: string }>(
    'SELECT sum(calls) AS calls FROM spend_days WHERE buyer_user_id = $1',
    [buyer.userId],
  );
  expect([left.rows.length, days.rows]).toEqual([0, [{ calls: '2' }]]);
});

it('is read from the sums of days, by indexes only', async () => {
  const { rows } = await scene.market.owner.query<{ plan: string }>(
    `SELECT indexdef AS plan FROM pg_indexes WHERE tablename = 'spend_days'`,
  );
  expect(rows.map(({ plan }) => plan).join()).toContain(
    '(buyer_user_id, day, agent_id, key_id, member_user_id)',
  );
});

describe('calls with metadata', () => {
  const METADATA = { project: 'atlas', customer: '42' };
  const tagged = (path: string, buyer: { cookie: string }) =>
    request<{ items: Call[] }>(scene.market, buyer, 'GET', path);
  interface Call {
    invocation_id: string;
    metadata: Record<string, string>;
    evidence: { authorisation: object } | null;
  }
  interface Group {
    date?: string;
    agent_id?: string;
    key_id?: string | null;
    tag?: { name: string; value: string };
    calls: number;
    credits: number;
  }
  const groupsOf = async (buyer: { cookie: string }, query: string) =>
    (await request<{ groups: Group[] }>(scene.market, buyer, 'GET', `/v1/billing/spend?${query}`)).body
      .groups;

  it('are found by an exact pair, and summed by tag with day, agent and key, before and after the roll-up', async () => {
    const { market, agent, agentId, developer } = scene;
    const buyer = await register(market, 'buyer', 1_000);
    const { agentId: dear } = await putLive(market, developer.userId, agent.url, { credits: 30 });
    const input = { input: { text: 'hello' } };
    agent.forget();
    const { body: first } = await invoke(market, buyer, agentId, { ...input, metadata: METADATA });
    await invoke(market, buyer, dear, { ...input, metadata: { project: 'atlas' } });
    await invoke(market, buyer, agentId, input, { 'x-metadata': '{"project": "other=\\u00fc"}' });
    await invoke(market, buyer, agentId, input);
    // The agent gets none of it.
    for (const { headers, body } of agent.deliveries)
      expect(JSON.stringify(headers) + body.toString()).not.toMatch(/atlas|metadata/);
    const found = await tagged('/v1/invocations?tag=project=atlas', buyer);
    expect(found.body.items).toMatchObject([
      { metadata: { project: 'atlas' } },
      {
        invocation_id: first.invocation_id,
        metadata: METADATA,
        evidence: { authorisation: { max_cost_credits: null, metadata: METADATA } },
      },
    ]);
    expect(
      (await tagged(`/v1/invocations?tag=project=atlas&agent_id=${dear}`, buyer)).body.items,
    ).toHaveLength(1);
    expect((await tagged('/v1/invocations?tag=project=at', buyer)).body.items).toEqual([]);
    expect((await tagged('/v1/invocations?tag=project=atlas', scene.buyer)).body.items).toEqual([]);
    expect((await tagged('/v1/invocations?tag=project', buyer)).status).toBe(422);

    const sums = async () => ({
      tags: await groupsOf(buyer, 'group_by=tag'),
      both: await groupsOf(buyer, 'group_by=agent,tag&tag=project'),
      ofPair: await groupsOf(buyer, 'group_by=day,key&tag=project=atlas'),
      all: await groupsOf(buyer, 'group_by=agent'),
    });
    const before = await sums();
    expect(before.tags).toEqual([
      { tag: { name: 'project', value: 'atlas' }, calls: 2, credits: 40 },
      { tag: { name: 'customer', value: '42' }, calls: 1, credits: 10 },
      { tag: { name: 'project', value: 'other=ü' }, calls: 1, credits: 10 },
    ]);
    expect(before.both).toHaveLength(3);
    const date = new Date().toISOString().slice(0, 10);
    expect(before.ofPair).toEqual([{ date, key_id: null, key_name: null, calls: 2, credits: 40 }]);
    expect(before.all.map(({ calls, credits }) => [calls, credits]).sort()).toEqual([
      [1, 30],
      [3, 30],
    ]);
    await rollUp();
    expect(await sums()).toEqual(before);
    const csv = await fetch(`${market.url}/v1/billing/spend.csv?group_by=tag`, {
      headers: { cookie: buyer.cookie },
    });
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect((await csv.text()).split('\r\n').slice(0, 2)).toEqual([
      'tag_name,tag_value,calls,credits',
      'project,atlas,2,40',
    ]);
  });

  it.each([
    [{ metadata: { project: 7 } }, {}],
    [{ metadata: { '': 'x' } }, {}],
    [{ metadata: { 'a b': 'x' } }, {}],
    [{ metadata: { a: 'x'.repeat(101) } }, {}],
    [{ metadata: Object.fromEntries('abcdefghi'.split('').map((name) => [name, 'x'])) }, {}],
    [{ metadata: [] }, {}],
    [{}, { 'x-metadata': 'project=atlas' }],
    [{}, { 'x-metadata': '{"a": 1}' }],
    [{ metadata: { a: '1' } }, { 'x-metadata': '{"a": "2"}' }],
  ])('are refused with %j %j', async (body, headers) => {
    const reply = await invoke(
      scene.market,
      scene.buyer,
      scene.agentId,
      { input: { text: 'a' }, ...body },
      headers,
    );
    expect([400, 422]).toContain(reply.status);
  });

  it('are listed and summed by indexes alone, whatever the number of calls', async () => {
    const day = '2026-11-01';
    const plans: [string, unknown[]][] = [
      [TAGGED_CALLS, [scene.buyer.userId, null, null, null, null, null, 'a=b', null, 20, 20]],
      [groupsSql(['day', 'tag'], true), [scene.buyer.userId, day, day, 100, 'a=b']],
      [groupsSql(['agent', 'key'], false), [scene.buyer.userId, day, day, 100, null]],
    ];
    for (const [sql, values] of plans) {
      const plan = await withTransaction(scene.market.container.pool, async (tx) => {
        await tx.query('SET LOCAL enable_seqscan = off');
        const { rows } = await tx.query<{ 'QUERY PLAN': unknown }>(`EXPLAIN (FORMAT JSON) ${sql}`, values);
        return JSON.stringify(rows[0]?.['QUERY PLAN']);
      });
      for (const table of ['invocations', 'call_tags', 'spend_tag_days', 'spend_days', 'spend_waiting'])
        expect(plan).not.toMatch(new RegExp(`"Node Type":"Seq Scan"[^{}]*"Relation Name":"${table}`));
      expect(plan).toMatch(/"Index Cond":"\(+buyer_user_id/);
    }
  });
});

it.each([
  'since=yesterday',
  'since=2020-01-01',
  'until=2020-01-01&since=2021-01-01',
  'by=agent',
  'group_by=week',
  'tag=',
])('refuses ?%s', async (query) => {
  const reply = await request(scene.market, scene.buyer, 'GET', `/v1/billing/spend?${query}`);
  expect(reply.status).toBe(422);
});

it('shows a developer what all agents earned, and nothing to buyers', async () => {
  const { market, agent, buyer } = scene;
  const developer = await register(market, 'developer');
  const { agentId: one } = await putLive(market, developer.userId, agent.url, {
    credits: 100,
    agentId: newSlug('one'),
  });
  const { agentId: two } = await putLive(market, developer.userId, agent.url, {
    credits: 10,
    agentId: newSlug('two'),
  });
  const input = { input: { text: 'hello' } };
  await invoke(market, buyer, two, input);
  await invoke(market, buyer, one, input);
  agent.behave({ kind: 'status', status: 500 });
  await invoke(market, buyer, two, input);
  agent.behave({ kind: 'echo' });
  const { body } = await request<Sales>(market, developer, 'GET', '/v1/developer/sales');
  expect(body).toMatchObject({ calls: 3, failed: 1, developer_earnings_credits: 106.7 });
  expect(body.days.at(-1)).toMatchObject({ date: new Date().toISOString().slice(0, 10), calls: 3 });
  expect(body.agents).toMatchObject([
    { agent_id: one, calls: 1, failed: 0, developer_earnings_credits: 97 },
    { agent_id: two, calls: 2, failed: 1, developer_earnings_credits: 9.7 },
  ]);
  expect((await request(market, buyer, 'GET', '/v1/developer/sales')).status).toBe(403);
});

describe('a budget of the account', () => {
  interface Budget {
    budget_id: string;
    credits: number;
    used_credits: number;
    left_credits: number;
    window_ends_at: string | null;
  }
  const add = (body: object) => request<Budget>(scene.market, buyer, 'POST', '/v1/billing/budgets', body);
  const usedOf = async () =>
    (await request<{ items: Budget[] }>(scene.market, buyer, 'GET', '/v1/billing/budgets')).body.items.map(
      ({ used_credits: used }) => used,
    );
  const ATLAS = { metadata: { project: 'atlas' } };
  const PRICE = 10;
  let buyer: TestUser;
  const bySession = (body: object = {}) =>
    invoke(scene.market, buyer, scene.agentId, { input: { text: 'a' }, ...body });
  const outcomeOf = (reply: InvokeReply) => [reply.status, reply.body.error?.code];
  beforeEach(async () => {
    buyer = await register(scene.market, 'buyer', 1_000);
  });
  afterEach(() => expectWholeLedger(scene.market));

  it('is exact for fifty calls by keys and the session at once', async () => {
    const { body: budget } = await add({ credits: 5 * PRICE + 3, window: 'month' });
    const key = await makeKey(scene.market, buyer, { credit_cap: 100 * PRICE, credit_cap_window: 'day' });
    const callers = Array.from({ length: 50 }, (_, n) =>
      n % 2
        ? bySession()
        : invoke(
            scene.market,
            { cookie: '' },
            scene.agentId,
            { input: { text: 'a' } },
            { 'x-api-key': key.key },
          ),
    );
    const replies = await Promise.all(callers);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(5);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(new Set(refused.map((reply) => outcomeOf(reply).join()))).toEqual(
      new Set(['402,budget_exceeded']),
    );
    expect(refused[0]?.body.error?.message).toContain(
      `the budget of the account (${budget.budget_id}, 53 credits a month) has 3 credits left for this month, until ${budget.window_ends_at}`,
    );
    expect(await usedOf()).toEqual([5 * PRICE]);
    expect(await balance(scene.market.owner, buyer.userId, 'wallet')).toBe(100_000 - 5 * PRICE * 100);
  });

  it('by tag counts its calls alone, beside one of the account, and begins anew at midnight', async () => {
    await add({ credits: 2 * PRICE, window: 'day', tag: 'project=atlas' });
    await add({ credits: 4 * PRICE, window: 'day' });
    const first = await bySession(ATLAS);
    const storm = await Promise.all(Array.from({ length: 20 }, () => bySession(ATLAS)));
    expect(storm.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(storm.find(({ status }) => status === 402)?.body.error?.message).toContain(
      'the budget project=atlas (bgt_',
    );
    expect((await bySession({ metadata: { project: 'other' } })).status).toBe(200);
    expect((await bySession()).status).toBe(200);
    expect(outcomeOf(await bySession())).toEqual([402, 'budget_exceeded']);
    expect(await usedOf()).toEqual([4 * PRICE, 2 * PRICE]);
    await passMidnight(scene.market.owner, buyer.userId);
    expect(await usedOf()).toEqual([0, 0]);
    expect((await bySession(ATLAS)).status).toBe(200);
    expect(await usedOf()).toEqual([PRICE, PRICE]);
    // What a call of yesterday gives back is not of today.
    const dispute = {
      invocation_id: first.body.invocation_id,
      reason: 'other',
      description: 'Not what I asked for.',
    };
    const opened = await request<{ dispute_id: string }>(
      scene.market,
      buyer,
      'POST',
      '/v1/billing/disputes',
      dispute,
    );
    const path = `/v1/billing/disputes/${opened.body.dispute_id}/respond`;
    await request(scene.market, scene.developer, 'POST', path, {
      decision: 'accept',
      statement: 'You are right.',
    });
    expect(await usedOf()).toEqual([PRICE, PRICE]);
  });

  it('has a notice at 80 and at 100 percent, each once in a window', async () => {
    await add({ credits: 5 * PRICE, window: 'day' });
    const percents = async () => {
      const path = '/v1/notices?limit=100';
      const { body } = await request<{ items: { type: string; message: string }[] }>(
        scene.market,
        buyer,
        'GET',
        path,
      );
      const told = body.items.filter(({ type }) => type === 'budget.reached').reverse();
      return told.map(({ message }) => /^\d+/.exec(message)?.[0]);
    };
    for (let n = 0; n < 3; n += 1) expect((await bySession()).status).toBe(200);
    expect(await percents()).toEqual([]);
    expect((await bySession()).status).toBe(200);
    expect(await percents()).toEqual(['80']);
    expect((await bySession()).status).toBe(200);
    expect(outcomeOf(await bySession())).toEqual([402, 'budget_exceeded']);
    expect(await percents()).toEqual(['80', '100']);
    await passMidnight(scene.market.owner, buyer.userId);
    for (let n = 0; n < 4; n += 1) expect((await bySession()).status).toBe(200);
    expect(await percents()).toEqual(['80', '100', '80']);
  });

  it('frees what a failed call held, can be changed and deleted, and belongs to its account', async () => {
    const { body: budget } = await add({ credits: PRICE, window: 'lifetime' });
    const path = `/v1/billing/budgets/${budget.budget_id}`;
    scene.agent.behave({ kind: 'status', status: 500 });
    await bySession();
    scene.agent.behave({ kind: 'echo' });
    expect((await bySession()).status).toBe(200);
    expect(outcomeOf(await bySession())).toEqual([402, 'budget_exceeded']);
    expect(
      (await request<Budget>(scene.market, buyer, 'PATCH', path, { credits: 2 * PRICE })).body,
    ).toMatchObject({
      credits: 2 * PRICE,
      used_credits: PRICE,
      left_credits: PRICE,
      window_ends_at: null,
    });
    expect((await bySession()).status).toBe(200);
    expect((await add({ credits: 7, window: 'lifetime' })).status).toBe(409);
    expect((await add({ credits: 7, window: 'year' })).status).toBe(422);
    expect((await add({ credits: 7, window: 'day', tag: 'project' })).status).toBe(422);
    const stranger = await register(scene.market, 'buyer');
    for (const method of ['PATCH', 'DELETE'] as const)
      expect(
        (await request(scene.market, stranger, method, path, method === 'PATCH' ? { credits: 1 } : undefined))
          .status,
      ).toBe(404);
    const removal = { method: 'DELETE', headers: { cookie: buyer.cookie } };
    expect((await fetch(`${scene.market.url}${path}`, removal)).status).toBe(204);
    expect((await bySession()).status).toBe(200);
  });
});

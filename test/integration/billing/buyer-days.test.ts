/** The effect of other accounts' calls on the figures and findings of an agent. */
import type { TestManifestOptions } from '../../support/agents/manifest';
import { dispute, respond } from '../../support/disputes/disputes';
import type { Listing } from '../../support/catalogue/listings';
import { eventually, invoke, putLive, register, type InvokeReply, type TestUser } from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket({ env: { PUBLIC_READS: 'true' } });
let developer: TestUser;
let buyers: TestUser[];
const agent = useAgent();

beforeAll(async () => {
  developer = await register(market, 'developer', 10_000);
  buyers = await Promise.all(Array.from({ length: 10 }, () => register(market, 'buyer', 10_000)));
  agent.behave(({ body }) => {
    const status = /"text":"(?:status (\d+)|fail)"/.exec(body.toString());
    return status ? { kind: 'status', status: Number(status[1] ?? 500) } : { kind: 'echo' };
  });
});

const live = async (options: TestManifestOptions = {}) =>
  (await putLive(market, developer.userId, agent.url, { credits: 10, ...options })).agentId;

/** Calls of one account, all with the same end. Returns their ids. */
async function calls(who: TestUser | undefined, agentId: string, count: number, text = 'fine') {
  if (!who) throw new Error('no such buyer');
  const replies: InvokeReply[] = [];
  while (replies.length < count) {
    const batch = Array.from({ length: Math.min(10, count - replies.length) }, (_, n) =>
      invoke(market, who, agentId, { input: { text, n } }),
    );
    replies.push(...(await Promise.all(batch)));
  }
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([text === 'fine' ? 200 : 502]));
  return replies.map(({ body }) => body.invocation_id ?? '');
}

/** Stores what the processes have collected, and computes figures. */
async function settle(): Promise<void> {
  await market.container.tallies.flush();
  await market.container.agentFigures.rollUpUsage();
  await market.container.agentFigures.findCircles();
  await market.container.agentFigures.followRelations();
  await market.container.agentFigures.refresh();
}

const listing = (agentId: string) =>
  request<Listing>(market, buyers[0] ?? developer, 'GET', `/v1/listings/${agentId}`);

/** Waits until the calls of an agent are in its usage, and computes its figures again. */
async function countAgain(agentId: string, ended: number): Promise<void> {
  await eventually(async () => {
    await settle();
    const { rows } = await market.owner.query<{ n: string }>(
      'SELECT sum(calls) AS n FROM agent_days WHERE agent_id = $1',
      [agentId],
    );
    return Number(rows[0]?.n) === ended;
  });
  await market.owner.query('UPDATE agent_stats SET due_at = now() WHERE agent_id = $1', [agentId]);
  await settle();
}

/** Waits until the figures of a listing are as expected, or fails with the last ones. */
async function expectStats(agentId: string, expected: Partial<Listing['stats']>): Promise<void> {
  let stats: Listing['stats'] | undefined;
  await eventually(async () => {
    await settle();
    ({ stats } = (await listing(agentId)).body);
    return Object.entries(expected).every(
      ([name, value]) => stats?.[name as keyof Listing['stats']] === value,
    );
  }, 5_000).catch(() => undefined);
  expect(stats).toMatchObject(expected);
}

async function today(agentId: string) {
  const { body } = await request<{ days: { calls: number; success_rate: number | null }[] }>(
    market,
    developer,
    'GET',
    `/v1/agents/${agentId}/figures`,
  );
  return body.days.at(-1);
}

/** Bad periods and good ones of buyers, as verification counted them. */
async function periods(agentId: string): Promise<string[]> {
  await settle();
  await market.container.behaviourWatch.look();
  const { rows } = await market.owner.query<{ code: string }>(
    `SELECT code FROM verification_reprobes WHERE agent_id = $1 ORDER BY sequence`,
    [agentId],
  );
  return rows.map(({ code }) => code);
}

const NONE = { invocations_30d: 0, success_rate: null, p50_ms: null };

/** One paid call of each buyer from the fourth on, so that the agent has ten buyers with the first three. */
const ofOthers = async (agentId: string) => {
  for (const buyer of buyers.slice(3)) await calls(buyer, agentId, 1);
};

it('counts no free call, whatever its end', async () => {
  const agentId = await live({ freeTierCalls: 100 });
  await calls(buyers[0], agentId, 22);
  await calls(buyers[1], agentId, 24, 'fail');
  await countAgain(agentId, 46);
  await expectStats(agentId, NONE);
  expect(await today(agentId)).toMatchObject({ calls: 0, success_rate: null });
  expect(await periods(agentId)).toEqual([]);
});

it('counts no call of the developer', async () => {
  const agentId = await live();
  await calls(developer, agentId, 22);
  await countAgain(agentId, 22);
  await expectStats(agentId, NONE);
});

it('counts paid calls of others, in which each buyer has the same weight', async () => {
  const agentId = await live();
  await calls(buyers[0], agentId, 3);
  await calls(buyers[1], agentId, 1);
  await expectStats(agentId, { invocations_30d: 4, buyers_30d: 2, few_calls: true, success_rate: null });
  expect(await today(agentId)).toMatchObject({ calls: 4, success_rate: null });
  await calls(buyers[2], agentId, 24, 'fail');
  await ofOthers(agentId);
  await expectStats(agentId, { invocations_30d: 12, buyers_30d: 10, few_calls: false, success_rate: 0.9 });
  expect(await today(agentId)).toMatchObject({ calls: 12, success_rate: 0.9 });
  const [first = ''] = await calls(buyers[1], agentId, 1);
  await expectStats(agentId, { invocations_30d: 13 });
  const { body } = await dispute(market, buyers[1] ?? developer, first);
  await respond(market, developer, body.dispute_id, 'accept');
  await expectStats(agentId, { invocations_30d: 13, success_rate: 0.85 });
});

it('counts no call whose input the agent refused, and each that it refused for another reason', async () => {
  const agentId = await live();
  for (const status of [400, 404, 422]) await calls(buyers[0], agentId, 2, `status ${status}`);
  await countAgain(agentId, 6);
  await expectStats(agentId, NONE);
  await calls(buyers[0], agentId, 1);
  for (const status of [401, 403, 429]) await calls(buyers[1], agentId, 1, `status ${status}`);
  await calls(buyers[2], agentId, 1);
  await ofOthers(agentId);
  await expectStats(agentId, { invocations_30d: 10, success_rate: 0.9 });
});

it('ranks many buyers above many calls of one buyer', async () => {
  const [loved, busy] = [await live(), await live()];
  await calls(buyers[0], busy, 20);
  await calls(buyers[1], loved, 1);
  await calls(buyers[2], loved, 1);
  await expectStats(busy, { invocations_30d: 20 });
  await expectStats(loved, { invocations_30d: 2 });
  const { body } = await request<{ items: Listing[] }>(market, developer, 'GET', '/v1/listings?sort=popular');
  const order = body.items.map(({ agent_id }) => agent_id).filter((id) => [loved, busy].includes(id));
  expect(order).toEqual([loved, busy]);
});

it('finds nothing in the failing paid calls of one buyer, and something in those of several', async () => {
  const agentId = await live();
  await calls(buyers[0], agentId, 24, 'fail');
  expect(await periods(agentId)).toEqual([]);
  await calls(buyers[1], agentId, 1, 'fail');
  expect(await periods(agentId)).toEqual([]);
  await calls(buyers[2], agentId, 1, 'fail');
  await eventually(async () => (await periods(agentId)).length > 0);
  expect(new Set(await periods(agentId))).toEqual(new Set(['buyers']));

  // The same buyers and outcome count once a day, and one buyer washes nothing.
  const found = await periods(agentId);
  for (const buyer of buyers.slice(0, 3)) await calls(buyer, agentId, 8, 'fail');
  await calls(buyers[0], agentId, 24);
  expect(await periods(agentId)).toEqual(found);
});

describe('accounts of one hand', () => {
  let ring: TestUser[];
  beforeAll(async () => {
    ring = [];
    for (let at = 0; at < 5; at += 1)
      ring.push(...(await Promise.all(Array.from({ length: 10 }, () => register(market, 'buyer', 100)))));
  });
  const related = async (one: TestUser | undefined, other: TestUser | undefined) =>
    (await market.owner.query<{ how: string | null }>('SELECT owner_relation($1, $2) AS how', [one?.userId, other?.userId])).rows[0]?.how; // prettier-ignore
  const sign = (kind: string, text: string, who: TestUser | undefined) =>
    market.owner.query('SELECT owner_sign_note($1, $2, $3)', [kind, text, who?.userId]);
  const ring50 = async (agentId: string, text?: string) => {
    for (let at = 0; at < 50; at += 10)
      await Promise.all(ring.slice(at, at + 10).map((who) => calls(who, agentId, 1, text)));
  };

  it('neither wash nor smear with 50 accounts that share a device', async () => {
    const [washed, smeared] = [await live(), await live()];
    await calls(buyers[0], smeared, 2);
    await calls(buyers[1], smeared, 1);
    await calls(buyers[2], smeared, 1);
    await ofOthers(smeared);
    const rank = async () => {
      const { body } = await request<{ items: Listing[] }>(market, developer, 'GET', '/v1/listings?sort=popular'); // prettier-ignore
      return body.items.map(({ agent_id }) => agent_id).filter((id) => [washed, smeared].includes(id));
    };
    await ring50(washed);
    await ring50(smeared, 'fail');
    await expectStats(washed, { buyers_30d: 50, success_rate: 1 });
    await expectStats(smeared, { buyers_30d: 60 });
    // Signs that are found afterwards take the calls out of the figures.
    for (const who of [...ring, developer]) await sign('device', 'the laptop of the developer', who);
    await eventually(async () => {
      await settle();
      return (await market.owner.query('SELECT FROM owner_changes')).rowCount === 0;
    });
    await expectStats(washed, { ...NONE, buyers_30d: 0, few_calls: true });
    await expectStats(smeared, { buyers_30d: 10, success_rate: 1, invocations_30d: 11 });
    expect(await rank()).toEqual([smeared, washed]);
    await ring50(washed);
    await ring50(smeared, 'fail');
    await settle();
    await expectStats(washed, { ...NONE, buyers_30d: 0 });
    await expectStats(smeared, { buyers_30d: 10, success_rate: 1, invocations_30d: 11 });
    expect(await periods(smeared)).toEqual([]);
    expect(await periods(washed)).toEqual([]);
    // The figures follow from what is stored.
    await market.owner.query('SELECT owner_groups_recount(), usage_recount()');
    await expectStats(smeared, { buyers_30d: 10, success_rate: 1, invocations_30d: 11 });
    expect(await related(ring[49], developer)).toBe('group');
  }, 60_000);

  it('count as one buyer of another developer', async () => {
    const stranger = await register(market, 'developer', 100);
    const { agentId } = await putLive(market, stranger.userId, agent.url, { credits: 10 });
    for (const buyer of buyers) await calls(buyer, agentId, 1);
    await Promise.all(ring.slice(0, 10).map((who) => calls(who, agentId, 1, 'fail')));
    await expectStats(agentId, { buyers_30d: 11, success_rate: 0.9091 });
  });

  it('are found by money that flows in a circle of two and of three', async () => {
    const people = await Promise.all(Array.from({ length: 3 }, () => register(market, 'developer', 1_000)));
    const agents: string[] = [];
    for (const { userId } of people)
      agents.push((await putLive(market, userId, agent.url, { credits: 10 })).agentId);
    const [a, b, c] = people;
    await calls(a, agents[1] ?? '', 2);
    await calls(b, agents[2] ?? '', 3);
    await settle();
    expect([await related(a, b), await related(b, c), await related(a, c)]).toEqual([null, null, null]);
    await calls(c, agents[0] ?? '', 1);
    await settle();
    expect([await related(b, a), await related(c, b), await related(a, c)]).toEqual(['circle', 'circle', 'circle']); // prettier-ignore
    const { rows } = await market.owner.query<{ smallest_units: string; largest_units: string }>(
      'SELECT smallest_units, largest_units FROM owner_circles WHERE first_user_id = least($1, $2) AND second_user_id = greatest($1, $2)',
      [a?.userId, b?.userId],
    );
    expect(rows).toEqual([{ smallest_units: '1000', largest_units: '3000' }]);
  });

  it.each([
    ['a tax number', `INSERT INTO billing_details (user_id, country, tax_number) VALUES ($1, 'DE', 'DE 123-456')`],
    ['a postal address', `INSERT INTO billing_details (user_id, country, address) VALUES ($1, 'DE', 'Long Street 12, Town')`],
    ['a sign-up from one network in one week', `INSERT INTO login_places (user_id, network) VALUES ($1, '198.51.100.7')`],
  ])('are found by %s', async (_name, statement) => {
    const people = await Promise.all([register(market, 'buyer'), register(market, 'buyer')]);
    // The tests log in from this machine, which is no network of the internet.
    for (const { userId } of people) await market.owner.query('DELETE FROM login_places WHERE user_id = $1', [userId]);
    expect(await related(people[0], people[1])).toBeNull();
    for (const { userId } of people) await market.owner.query(statement, [userId]);
    expect(await related(people[0], people[1])).toBe('group');
  }); // prettier-ignore

  it('are found by a device, as the cookie of the console says', async () => {
    const page = await fetch(`${market.url}/console`);
    const cookie = page.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    expect(cookie).toMatch(/^market_device=[\w-]{43}$/);
    const people = await Promise.all([register(market, 'buyer'), register(market, 'buyer')]);
    for (const { email } of people)
      await fetch(`${market.url}/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie },
        body: JSON.stringify({ email, password: 'correct horse battery' }),
      });
    expect(await related(people[0], people[1])).toBe('group');
  });
});

it('does not count 500 free calls, whatever they say', async () => {
  const [washed, other] = [await live({ freeTierCalls: 1_000 }), await live()];
  await calls(buyers[1], other, 1);
  await calls(buyers[0], washed, 250);
  await calls(buyers[2], washed, 250, 'fail');
  await countAgain(washed, 500);
  await expectStats(washed, { ...NONE, buyers_30d: 0 });
  expect(await periods(washed)).toEqual([]);
  const { body } = await request<{ items: Listing[] }>(market, developer, 'GET', '/v1/listings?sort=popular');
  const order = body.items.map(({ agent_id }) => agent_id).filter((id) => [washed, other].includes(id));
  expect(order).toEqual([other, washed]);
}, 120_000);

it('forgets the days of buyers after 31 days', async () => {
  const agentId = await live();
  await calls(buyers[0], agentId, 1);
  await expectStats(agentId, { invocations_30d: 1 });
  const days = async () =>
    (await market.owner.query(`SELECT FROM buyer_days WHERE agent_id = $1`, [agentId])).rowCount;
  await market.container.retention.purge(new AbortController().signal, () => undefined);
  expect(await days()).toBe(1);
  await market.owner.query(
    `UPDATE buyer_days SET day = day - 32 WHERE agent_id = '${agentId}';
     UPDATE buyer_day_sums SET day = day - 32 WHERE agent_id = '${agentId}'`,
  );
  await market.container.retention.purge(new AbortController().signal, () => undefined);
  expect(await days()).toBe(0);
});

it('reads figures and open outcomes by their keys', async () => {
  await market.owner.query('BEGIN; SET LOCAL enable_seqscan = off');
  const plans: string[] = [];
  for (const statement of [
    `SELECT sum(calls) FROM buyer_day_sums WHERE agent_id = 'agt_x_v1' AND day > current_date - 30`,
    `SELECT * FROM buyer_days WHERE agent_id = 'agt_x_v1' AND (open_succeeded OR open_refused OR open_failed)`,
    `SELECT ctid FROM buyer_days WHERE day < current_date - 31 ORDER BY day LIMIT 1000`,
    `SELECT FROM counted_buyers WHERE agent_id = 'agt_x_v1' AND last_day > current_date - 30 LIMIT 1000`,
    `SELECT bucket, sum(calls) FROM counted_durations WHERE agent_id = 'agt_x_v1' AND day > current_date - 30 GROUP BY 1`,
    `SELECT FROM buyer_days WHERE buyer_user_id = 'usr_x'`,
    `SELECT FROM owner_groups WHERE user_id = 'usr_x'`,
    `SELECT FROM login_places WHERE network = '192.0.2.1' LIMIT 9`,
  ]) {
    const { rows } = await market.owner.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${statement}`);
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
  }
  await market.owner.query('ROLLBACK');
  const indexes = [
    'buyer_day_sums_pkey',
    'buyer_days_open',
    'buyer_days_day',
    'counted_buyers_recent',
    'counted_durations_pkey',
    'buyer_days_buyer',
    'owner_groups_pkey',
    'login_places_network',
  ];
  expect(plans).toEqual(indexes.map((name) => expect.stringContaining(name) as string));
});

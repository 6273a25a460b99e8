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
  buyers = await Promise.all(Array.from({ length: 3 }, () => register(market, 'buyer', 10_000)));
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
  await expectStats(agentId, { invocations_30d: 4, success_rate: 1 });
  await calls(buyers[2], agentId, 24, 'fail');
  await expectStats(agentId, { invocations_30d: 5, success_rate: 0.6667 });
  expect(await today(agentId)).toMatchObject({ calls: 5, success_rate: 0.6667 });
  const [first = ''] = await calls(buyers[1], agentId, 1);
  await expectStats(agentId, { invocations_30d: 6 });
  const { body } = await dispute(market, buyers[1] ?? developer, first);
  await respond(market, developer, body.dispute_id, 'accept');
  await expectStats(agentId, { invocations_30d: 6, success_rate: 0.5 });
});

it('counts no call whose input the agent refused, and each that it refused for another reason', async () => {
  const agentId = await live();
  for (const status of [400, 404, 422]) await calls(buyers[0], agentId, 2, `status ${status}`);
  await countAgain(agentId, 6);
  await expectStats(agentId, NONE);
  await calls(buyers[0], agentId, 1);
  await expectStats(agentId, { invocations_30d: 1, success_rate: 1 });
  expect(await today(agentId)).toMatchObject({ calls: 1, success_rate: 1 });
  for (const status of [401, 403, 429]) await calls(buyers[1], agentId, 1, `status ${status}`);
  await expectStats(agentId, { invocations_30d: 2, success_rate: 0.5 });
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
  for (const buyer of buyers) await calls(buyer, agentId, 8, 'fail');
  await calls(buyers[0], agentId, 24);
  expect(await periods(agentId)).toEqual(found);
});

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
  ]) {
    const { rows } = await market.owner.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${statement}`);
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
  }
  await market.owner.query('ROLLBACK');
  const indexes = ['buyer_day_sums_pkey', 'buyer_days_open', 'buyer_days_day'];
  expect(plans).toEqual(indexes.map((name) => expect.stringContaining(name) as string));
});

/** Warranties (ADR 0426): a month is measured, a broken one takes its remedy from the bond and pays it by itself. */
import { warrantyScheduleId } from '../../src/engine/schedules';
import { taskQueues } from '../../src/workers/queues';
import type { Behaviour } from '../support/agents/behaviours';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { request } from '../support/catalogue/publishing';
import { counter, decide, deposit, notices, passSlash, readBond, readSlash } from '../support/disputes/bonds';
import { registerOperator } from '../support/disputes/disputes';
import {
  balance,
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../support/market';
import { isRunning } from '../support/stack/temporal';
import { eventDataProblems } from '../support/webhooks/webhooks';

const DAY_MS = 86_400_000;
const MONTH = new Date().toISOString().slice(0, 7);
const PRICE = 7;

let market: TestMarket;
let agent: TestAgent;
let buyers: TestUser[];
let runs = 0;

beforeAll(async () => {
  market = await startMarket();
  agent = await startAgent();
  buyers = await Promise.all(Array.from({ length: 10 }, () => register(market, 'buyer', 1_000)));
});
afterAll(async () => {
  await agent.stop();
  await market.stop();
});
afterEach(() => expectWholeLedger(market));

interface Sold {
  developer: TestUser;
  agentId: string;
}

/** An agent with a warranty, a bond, and `each` calls of each buyer, of which the first `failing` of a buyer fail. */
async function sold(
  warranty: Record<string, number>,
  { bond = 600, each = 10, failing = 0 }: { bond?: number; each?: number; failing?: number } = {},
): Promise<Sold> {
  const developer = await register(market, 'developer', 3_000);
  if (bond > 0) await deposit(market, developer, bond);
  const { agentId } = await putLive(market, developer.userId, agent.url, {
    credits: PRICE,
    warranty: { remedy_percent: 10, ...warranty },
  });
  const answers = (behaviour: Behaviour, times: number) => {
    agent.behave(behaviour);
    return Promise.all(
      buyers.map(async (buyer, at) => {
        // The last buyers call more often, so that their shares differ.
        for (let n = 0; n < times + (at === 9 ? 1 : 0); n += 1)
          await invoke(market, buyer, agentId, { input: { text: 'hello' } });
      }),
    );
  };
  if (failing > 0) await answers({ kind: 'status', status: 500 }, failing);
  await answers({ kind: 'echo' }, each - failing);
  return { developer, agentId };
}

const decided = (month = MONTH) =>
  market.environment.client.workflow.execute<(input: { month: string }) => Promise<Record<string, number>>>(
    'warrantyMonth',
    {
      taskQueue: taskQueues(market.temporal.taskQueuePrefix).operations,
      workflowId: `${market.temporal.taskQueuePrefix}warranty-${(runs += 1)}`,
      args: [{ month }],
    },
  );

interface Listed extends Record<string, unknown> {
  warranty: Record<string, number> | null;
  warranty_months: {
    month: string;
    outcome: string;
    figures: Record<string, number>;
    remedy: string | null;
  }[];
}
const listed = async (agentId: string) =>
  (await request<Listed>(market, buyers[0] as TestUser, 'GET', `/v1/listings/${agentId}`)).body;
const wallets = () => Promise.all(buyers.map(({ userId }) => balance(market.owner, userId, 'wallet')));
const slashOf = async (agentId: string): Promise<string> => {
  const { rows } = await market.owner.query<{ slash_id: string }>(
    'SELECT slash_id FROM slashes WHERE agent_id = $1',
    [agentId],
  );
  expect(rows).toHaveLength(1);
  const slashId = rows[0]?.slash_id ?? '';
  await eventually(() => isRunning(market.environment.client, `slash/${slashId}`), 30_000);
  return slashId;
};

it('is shown while there is a bond, and kept by a month that keeps it', async () => {
  const { agentId } = await sold({ success_rate: 0.99, uptime: 0.99, p95_ms: 300_000 });
  expect(await listed(agentId)).toMatchObject({
    warranty: { success_rate: 0.99, remedy_percent: 10, months_kept: 0, months_broken: 0 },
    warranty_months: [],
  });
  const bare = await sold({ uptime: 0.9 }, { bond: 0, each: 1 });
  expect((await listed(bare.agentId)).warranty).toBeNull();
  expect(await decided()).toMatchObject({ kept: 1, few_calls: 1, broken: 0, missing: 0 });
  const shown = await listed(agentId);
  expect(shown.warranty).toMatchObject({ months_kept: 1, months_broken: 0 });
  expect(shown.warranty_months).toMatchObject([
    {
      month: MONTH,
      outcome: 'kept',
      figures: { calls: 101, buyers: 10, failed: 0, success_rate: 1 },
      remedy: null,
    },
  ]);
  // What was decided stays, and nothing is decided twice.
  expect(await decided()).toMatchObject({ kept: 0, few_calls: 0, broken: 0 });
  const found = await request<{ items: { agent_id: string; warranty: unknown }[] }>(
    market,
    buyers[0] as TestUser,
    'GET',
    '/v1/listings?limit=100',
  );
  expect(found.body.items.find((item) => item.agent_id === agentId)?.warranty).toMatchObject({
    months_kept: 1,
  });
  const card = await request<{ capabilities: { extensions: { params?: { trust?: unknown } }[] } }>(
    market,
    buyers[0] as TestUser,
    'GET',
    `/v1/a2a/agents/${agentId}/.well-known/agent-card.json`,
  );
  if (card.status === 200)
    expect(JSON.stringify(card.body.capabilities.extensions)).toContain('"months_kept":1');
});

it('is broken, notifies both sides, and pays each buyer from the bond after 7 days', async () => {
  const { developer, agentId } = await sold({ success_rate: 0.95 }, { failing: 1 });
  const before = await wallets();
  expect(await decided()).toMatchObject({ broken: 1, missing: 0 });
  const slashId = await slashOf(agentId);
  // 90 calls that cost 7 credits, and 11 failed ones; the last buyer has made one call more of each.
  const paid = 91 * PRICE * 100;
  const remedy = Math.floor(paid / 10);
  const slash = await readSlash(market, developer, slashId);
  expect(slash).toMatchObject({
    status: 'applied',
    refund: 'warranty',
    credits: remedy / 100,
    calls: [],
    evidence: { month: MONTH, figures: { calls: 102, failed: 11, buyers: 10, success_rate: 0.8922 } },
  });
  expect(await readBond(market, developer)).toMatchObject({ slash_hold_credits: remedy / 100 });
  expect((await notices(market, developer))[0]).toMatchObject({ code: 'slash_applied', slash_id: slashId });
  const told = await market.owner.query<{ data: Record<string, unknown> }>(
    `SELECT data FROM account_notices WHERE type = 'warranty.broken' AND agent_id = $1`,
    [agentId],
  );
  expect(told.rows).toHaveLength(11);
  expect(eventDataProblems('warranty.broken', told.rows[0]?.data)).toEqual([]);
  expect(told.rows[0]?.data).toMatchObject({ figures: { failed: 11 }, remedy_credits: remedy / 100 });

  await passSlash(market, slashId, 7 * DAY_MS - 30_000);
  expect(await wallets()).toEqual(before);
  await passSlash(market, slashId, 30_000);
  await eventually(async () => (await readSlash(market, developer, slashId)).status === 'final');
  const gained = (await wallets()).map((units, at) => units - (before[at] ?? 0));
  expect(gained.reduce((sum, units) => sum + units)).toBe(remedy);
  expect(gained.slice(0, 9).every((units) => units === 630)).toBe(true);
  expect(gained[9]).toBe(700);
  expect(await readBond(market, developer)).toMatchObject({
    bond_credits: 600 - remedy / 100,
    slash_hold_credits: 0,
  });
  const shown = await listed(agentId);
  expect(shown.warranty).toMatchObject({ months_kept: 0, months_broken: 1 });
  expect(shown.warranty_months).toMatchObject([{ outcome: 'broken', remedy: 'final' }]);
});

it('pays what the bond has, by largest remainder, when it is too small', async () => {
  const { developer, agentId } = await sold(
    { uptime: 1, success_rate: 1, remedy_percent: 100 },
    { bond: 500.01, failing: 1 },
  );
  const before = await wallets();
  await decided();
  const slashId = await slashOf(agentId);
  expect(await readSlash(market, developer, slashId)).toMatchObject({
    credits: 500.01,
    requested_credits: 637,
  });
  await passSlash(market, slashId, 7 * DAY_MS);
  await eventually(async () => (await readSlash(market, developer, slashId)).status === 'final');
  const gained = (await wallets()).map((units, at) => units - (before[at] ?? 0));
  expect(gained.reduce((sum, units) => sum + units)).toBe(50_001);
  // 9/91 of 50,001 are 4,945.15…, and 10/91 are 5,494.61…
  expect([...new Set(gained.slice(0, 9))].every((units) => units === 4_945 || units === 4_946)).toBe(true);
  expect(gained[9]).toBe(5_495);
});

it('is contested, and an operator returns the remedy to the bond', async () => {
  const { developer, agentId } = await sold({ success_rate: 1 }, { failing: 1 });
  const operator = await registerOperator(market);
  const before = await wallets();
  await decided();
  const slashId = await slashOf(agentId);
  await counter(market, developer, slashId);
  expect((await decide(market, operator, slashId, 'overturned')).body.status).toBe('overturned');
  expect(await readBond(market, developer)).toMatchObject({ bond_credits: 600, slash_hold_credits: 0 });
  expect(await wallets()).toEqual(before);
  expect((await listed(agentId)).warranty_months).toMatchObject([
    { outcome: 'broken', remedy: 'overturned' },
  ]);
});

it('is judged by the version that answered the first paid call, and not by calls of the developer', async () => {
  const { developer, agentId } = await sold({ success_rate: 0.99 }, { each: 1 });
  agent.behave({ kind: 'status', status: 500 });
  for (let n = 0; n < 110; n += 1) await invoke(market, developer, agentId, { input: { text: 'smear' } });
  agent.behave({ kind: 'echo' });
  expect(await decided()).toMatchObject({ few_calls: 1, broken: 0 });
  expect((await listed(agentId)).warranty_months).toMatchObject([{ figures: { calls: 11, failed: 0 } }]);
});

it('is decided by a Schedule on the first of each month', async () => {
  const { client } = market.environment;
  const handle = client.schedule.getHandle(warrantyScheduleId(market.temporal.taskQueuePrefix));
  const { spec, action } = await handle.describe();
  expect(action).toMatchObject({ workflowType: 'warrantyMonth' });
  expect(JSON.stringify(spec.calendars)).toContain('"dayOfMonth":[{"start":1');
});

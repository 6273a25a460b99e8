import { mondayOf } from '../../src/domain/payouts/payout';
import { ensureSchedules, rateScheduleId } from '../../src/engine/schedules';
import { createLedgerService } from '../../src/services/ledger/ledger';
import { taskQueues } from '../../src/workers/queues';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { registerOperator } from '../support/disputes/disputes';
import { daysAgo, ecbDocument, serves, timeOf } from '../support/billing/exchange-rates';
import { expectWhole } from '../support/ledger/ledger';
import { eventually, register, startMarket, type TestMarket } from '../support/market';
import { DETAILS, earn } from '../support/payouts/payouts';
import { request } from '../support/catalogue/publishing';

/** The Schedule of a market with a source, and what a Monday makes of a source that has stopped. */
const RATES = { USD: '1.0582', INR: '93.0217' };
const PATH = '/v1/operator/exchange-rates';
let source: TestAgent;
let market: TestMarket;

beforeAll(async () => {
  source = await startAgent({ behaviour: serves(ecbDocument(daysAgo(8), RATES)) });
  market = await startMarket({ env: { FX_SOURCE: 'ecb', FX_SOURCE_URL: source.url } });
});
afterAll(async () => {
  await market.stop();
  await source.stop();
});

interface List<T> {
  items: T[];
  next_cursor: string | null;
  total: number;
}
interface Payout {
  status: string;
  reason?: string;
  rate?: { spot: string; applied: string; observed_at: string };
}

const load = (cookie: string, rate: object) =>
  fetch(`${market.url}${PATH}`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify(rate),
  });

const schedule = () => {
  const { client } = market.environment;
  const prefix = market.temporal.taskQueuePrefix;
  return { client, prefix, handle: client.schedule.getHandle(rateScheduleId(prefix)) };
};

it('pays in rupees at the fetched rate, and rolls over while the source is stale', async () => {
  const operator = await registerOperator(market);
  const read = async (path: string) => {
    const reply = await request<List<Record<string, unknown>>>(market, operator, 'GET', path);
    expect(reply.status).toBe(200);
    return reply.body.items;
  };
  const outcomes = async () =>
    (await read(`${PATH}/fetches`)).map(({ outcome, reason }) => [outcome, reason]);
  await eventually(async () => (await outcomes()).length === 1, 20_000);
  expect(await outcomes()).toEqual([['stale', 'old_date']]);
  expect(await read(PATH)).toEqual([]);

  const developer = await register(market, 'developer');
  const buyer = (await register(market, 'buyer', 100_000)).userId;
  const put = { method: 'upi', details: DETAILS.upi };
  await request(market, developer, 'PUT', '/v1/billing/developer/payout-method', put);
  const observedAt = timeOf(daysAgo(1));
  const asOf = new Date(mondayOf(Date.parse(observedAt)) + 7 * 86_400_000).toISOString();
  const ledger = createLedgerService({ pool: market.container.pool });
  await earn({ ledger }, { buyer, developer: developer.userId }, [6_000], new Date(observedAt));
  const pay = async (attempt: number) => {
    await market.container.payoutRuns.reserve({ developerUserId: developer.userId, asOf, attempt });
    const { body } = await request<List<Payout>>(market, developer, 'GET', '/v1/billing/developer/payouts');
    return body.items[0];
  };
  expect(await pay(0)).toMatchObject({ status: 'rolled_over', reason: 'no_exchange_rate' });

  source.behave(serves(ecbDocument(daysAgo(1), RATES)));
  await schedule().handle.trigger();
  await eventually(async () => (await outcomes()).length === 2, 20_000);
  expect((await outcomes())[0]).toEqual(['loaded', null]);
  const rate = { pair: 'USD/INR', rate: '87.905594', observed_at: observedAt, loaded_by: 'source:ecb' };
  expect(await read(PATH)).toMatchObject([rate]);
  expect(await pay(1)).toMatchObject({
    status: 'pending',
    rate: { spot: '87.905594', applied: '87.466066030', observed_at: observedAt },
  });
  expect((await request(market, developer, 'GET', PATH)).status).toBe(403);

  const byHand = { pair: 'USD/INR', rate: '88', observed_at: timeOf(daysAgo(3)), source: 'bank' };
  expect((await load(operator.cookie, byHand)).status).toBe(204);
  const first = await request<List<unknown>>(market, operator, 'GET', `${PATH}?limit=1`);
  expect(first.body).toMatchObject({ items: [rate], total: 2 });
  const next = `${PATH}?limit=1&cursor=${first.body.next_cursor}`;
  const second = await request<List<unknown>>(market, operator, 'GET', next);
  expect(second.body).toMatchObject({ items: [{ rate: '88.000000', source: 'bank' }], next_cursor: null });
  await expectWhole(market.container.pool);
}, 60_000);

it('has no Schedule any more when the source is taken out of the settings', async () => {
  const { client, prefix, handle } = schedule();
  const taskQueue = taskQueues(prefix).operations;
  await expect(handle.describe()).resolves.toMatchObject({ state: { paused: false } });
  await ensureSchedules(client, { prefix, taskQueue });
  await ensureSchedules(client, { prefix, taskQueue });
  await expect(handle.describe()).rejects.toMatchObject({ name: 'ScheduleNotFoundError' });
});

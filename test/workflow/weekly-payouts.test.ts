import { payoutScheduleId } from '../../src/engine/payouts';
import { createLedgerService } from '../../src/services/ledger/ledger';
import { eventually, register, startMarket, type TestMarket } from '../support/market';
import { expectWhole } from '../support/ledger/ledger';
import { DETAILS, earn, loadRate } from '../support/payouts/payouts';
import { request } from '../support/catalogue/publishing';
import { isMade, makeUp } from '../support/stack/schedules';

/** Mondays of the past, made up for by the Schedule on the real engine. */
const MONDAYS = ['2026-11-09T00:00:00.000Z', '2026-11-16T00:00:00.000Z'];
let market: TestMarket;

beforeAll(async () => {
  market = await startMarket();
});
afterAll(() => market.stop());

interface PayoutView {
  payout_id: string;
  status: string;
  credits: number;
  period_end: string;
  reason?: string;
}

it('makes up for missed Mondays in order, each as of its own time, once', async () => {
  const buyer = (await register(market, 'buyer', 100_000)).userId;
  const ledger = createLedgerService({ pool: market.container.pool });
  await loadRate(market.container.pool);
  const people = await Promise.all(
    (['ach', 'swift', 'upi'] as const).map(async (method) => {
      const user = await register(market, 'developer');
      const body = { method, details: DETAILS[method] };
      const put = await request(market, user, 'PUT', '/v1/billing/developer/payout-method', body);
      expect(put.status).toBe(200);
      const names = { buyer, developer: user.userId };
      await earn({ ledger }, names, [6_000], new Date('2026-11-05T00:00:00Z'));
      await earn({ ledger }, names, [7_000], new Date('2026-11-12T00:00:00Z'));
      return user;
    }),
  );
  const { client } = market.environment;
  const handle = client.schedule.getHandle(payoutScheduleId(market.temporal.taskQueuePrefix));
  await isMade(handle);
  await makeUp(handle, new Date('2026-11-08T00:00:00Z'), new Date('2026-11-17T00:00:00Z'));
  const payoutsOf = async (user: (typeof people)[number]) =>
    (await request<{ items: PayoutView[] }>(market, user, 'GET', '/v1/billing/developer/payouts')).body.items;
  for (const user of people) {
    await eventually(async () => {
      const items = await payoutsOf(user);
      return items.length === 2 && items.every(({ status }) => status === 'paid' || status === 'rolled_over');
    }, 40_000);
    const items = (await payoutsOf(user)).reverse();
    expect(items.map(({ period_end: at }) => at)).toEqual(MONDAYS);
  }
  const [ach, , upi] = await Promise.all(people.map(payoutsOf));
  expect(ach?.map(({ credits }) => credits)).toEqual([6_790, 5_820]);
  // No rate was known on the first Monday: its earnings wait for the second.
  expect(upi?.[1]).toMatchObject({ status: 'rolled_over', reason: 'no_exchange_rate' });
  expect(Math.round(upi?.[0]?.credits ?? 0)).toBe(12_610);
  const download = async (format: string) => {
    const path = `/v1/billing/developer/payouts/${ach?.[0]?.payout_id}/statement.${format}`;
    const answer = await fetch(`${market.url}${path}`, { headers: { cookie: people[0]?.cookie ?? '' } });
    return [answer.status, answer.headers.get('content-type'), (await answer.text()).split(/\r?\n/)[0]];
  };
  expect(await download('csv')).toEqual([200, 'text/csv; charset=utf-8', expect.stringMatching(/^type,/)]);
  expect(await download('pdf')).toEqual([200, 'application/pdf', expect.stringMatching(/^%PDF-1\.7/)]);
  await expectWhole(market.container.pool);
});

/** An operator repeats payouts: each once, however often and however fast it is requested. */
import { setTimeout as wait } from 'node:timers/promises';
import { registerOperator } from '../support/disputes';
import { expectWhole } from '../support/ledger';
import { eventually, register, startMarket, type TestMarket, type TestUser } from '../support/market';
import { DETAILS, earn } from '../support/payouts';
import { request } from '../support/publishing';

const asOf = '2026-10-12T00:00:00.000Z';
const MATURE = new Date('2026-10-08T00:00:00Z');
let market: TestMarket;
let operator: TestUser;
let buyer: TestUser;

beforeAll(async () => {
  market = await startMarket();
  operator = await registerOperator(market);
  buyer = await register(market, 'buyer', 50_000);
});
afterEach(() => expectWhole(market.container.pool));
afterAll(() => market.stop());

/** A developer whose payout rolled over, because there was no payout method. */
async function waiting(): Promise<{ developer: TestUser; payoutId: string }> {
  const developer = await register(market, 'developer');
  const names = { buyer: buyer.userId, developer: developer.userId };
  await earn({ ledger: market.container.ledger }, names, [2_000], MATURE);
  const share = { developerUserId: developer.userId, asOf, attempt: 0 };
  const made = await market.container.payoutRuns.reserve(share);
  expect(made?.status).toBe('rolled_over');
  const body = { method: 'ach', details: DETAILS.ach };
  expect((await request(market, developer, 'PUT', '/v1/billing/developer/payout-method', body)).status).toBe(
    200,
  );
  return { developer, payoutId: made?.payoutId ?? '' };
}

interface Reply {
  attempt?: number;
  message?: string;
}
const retry = (payoutId: string) =>
  request<Reply>(market, operator, 'POST', `/v1/operator/payouts/${payoutId}/retry`, {});
const payoutsOf = async (developer: TestUser) => {
  const path = '/v1/billing/developer/payouts';
  const { body } = await request<{ items: { status: string; credits: number }[] }>(
    market,
    developer,
    'GET',
    path,
  );
  return body.items.map(({ status, credits }) => [status, credits]);
};
const becomes = (developer: TestUser, wanted: unknown[]) =>
  eventually(async () => JSON.stringify(await payoutsOf(developer)) === JSON.stringify(wanted), 40_000);

it('accepts one of three retries of a payout 60 ms apart, and pays once', async () => {
  const { developer, payoutId } = await waiting();
  const replies = await Promise.all(
    [0, 60, 120].map(async (pauseMs) => {
      await wait(pauseMs);
      return retry(payoutId);
    }),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
  const refused = replies.filter(({ status }) => status === 409);
  const { attempt } = replies.find(({ status }) => status === 202)?.body ?? {};
  for (const { body } of refused)
    expect(JSON.stringify(body)).toMatch(
      new RegExp(`ttempt ${attempt} (of this Monday is running|of its Monday)`),
    );
  await becomes(developer, [
    ['paid', 1_940],
    ['rolled_over', 1_940],
  ]);
  await eventually(async () => {
    const { status, body } = await retry(payoutId);
    return (
      status === 409 && JSON.stringify(body).includes(`repeated already, as attempt ${attempt} of its Monday`)
    );
  });
  const actions = await market.owner.query(
    `SELECT FROM operator_actions WHERE action = 'payout.retry' AND subject = $1`,
    [payoutId],
  );
  expect(actions.rowCount).toBe(1);
});

it('pays three developers whose payouts are retried 60 ms apart', async () => {
  const people = [await waiting(), await waiting(), await waiting()];
  const replies = await Promise.all(
    people.map(async ({ payoutId }, at) => {
      await wait(at * 60);
      return retry(payoutId);
    }),
  );
  expect(replies.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(new Set(replies.map(({ body }) => body.attempt)).size).toBe(3);
  for (const { developer } of people)
    await becomes(developer, [
      ['paid', 1_940],
      ['rolled_over', 1_940],
    ]);
});

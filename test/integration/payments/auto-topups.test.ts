/** Automatic top-ups: one payment however many processes try, within the limits, and a stop after three failures. */
import { createContainer } from '../../../src/container';
import { createLogger } from '../../../src/logger';
import {
  balance,
  expectWholeLedger,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import { paidIntent, sendToMarket, startStripe, stripeEnv, stripeEvent, type StripeServer } from '../../support/billing/stripe'; // prettier-ignore

let market: TestMarket;
let stripe: StripeServer;
/** A second process. */
let other: ReturnType<typeof createContainer>;

beforeAll(async () => {
  stripe = await startStripe('127.77.0.17');
  market = await startMarket({ operations: false, env: stripeEnv(stripe.url) });
  other = createContainer({ ...market.config, WARM_UP: false }, createLogger('test', 'silent'));
});
afterEach(async () => {
  await expectWholeLedger(market);
  await market.owner.query('DELETE FROM auto_topups');
});
afterAll(async () => {
  await other.close();
  await market.stop();
  await stripe.stop();
});

const wallet = (user: TestUser) => balance(market.owner, user.userId, 'wallet');
const send = (body: string) => sendToMarket(market.url, body);
const run = () => Promise.all([market.container.autoTopups.run(), other.autoTopups.run()]);
const auto = async (user: TestUser) =>
  (await request(market, user, 'GET', '/v1/billing/auto-topup')).body as Record<string, unknown>;
const set = (user: TestUser, more: object = {}) =>
  request(market, user, 'PUT', '/v1/billing/auto-topup', {
    below_credits: 500,
    buy_credits: 300,
    max_per_day: 2,
    max_per_month: 1_000,
    ...more,
  });
const notices = async (user: TestUser) => {
  const { body } = await request(market, user, 'GET', '/v1/notices');
  return (body as { items: { type: string; message: string }[] }).items.filter(
    ({ type }) => type === 'topup.failed',
  );
};
/** Lets an account try again that waits for its next attempt. */
const again = (user: TestUser) =>
  market.owner.query('UPDATE auto_topups SET try_at = now() WHERE user_id = $1', [user.userId]);
const intentsOf = async (user: TestUser) => {
  const { rows } = await market.owner.query<{ topup_id: string }>(
    'SELECT topup_id FROM topups WHERE user_id = $1',
    [user.userId],
  );
  const ids = rows.map(({ topup_id: id }) => id);
  return stripe.intents.filter(({ metadata }) => ids.includes(metadata['topup_id'] ?? ''));
};
/** Reports the payments of an account, as Stripe does. */
const report = async (user: TestUser) => {
  for (const intent of await intentsOf(user))
    expect(await send(stripeEvent('payment_intent.succeeded', intent))).toBe(200);
};

/** A buyer with 100 credits and a saved method. */
async function saver(amountPaise = 100) {
  const buyer = await register(market, 'buyer');
  await request(market, buyer, 'POST', '/v1/billing/topup', {
    amountPaise,
    currency: 'USD',
    save_method: true,
  });
  const intent = paidIntent(stripe.sessions.at(-1)!);
  expect(await send(stripeEvent('payment_intent.succeeded', intent))).toBe(200);
  return { buyer, method: intent.payment_method! };
}

it('needs a saved payment method, and amounts that a top-up may have', async () => {
  const buyer = await register(market, 'buyer');
  expect(await auto(buyer)).toMatchObject({ status: 'off', below_credits: null, method: null });
  expect((await set(buyer)).body).toMatchObject({ error: { code: 'invalid_state' } });
  const { buyer: rich } = await saver();
  expect((await set(rich, { buy_credits: 99, max_per_month: 99 })).body).toMatchObject({
    detail: [{ loc: ['body', 'buy_credits'], type: 'minimum' }],
  });
  expect((await set(rich, { max_per_month: 299 })).body).toMatchObject({
    detail: [{ loc: ['body', 'max_per_month'] }],
  });
  expect((await set(rich, { method_id: `svm_${'0'.repeat(32)}` })).status).toBe(404);
});

it('buys once when the wallet is low, however many processes try, and again only when that has arrived', async () => {
  const { buyer } = await saver();
  expect((await set(buyer)).body).toMatchObject({ status: 'on', method: { label: 'visa •••• 4242' } });
  await run();
  await run();
  expect(await intentsOf(buyer)).toMatchObject([{ amount: 300, currency: 'usd' }]);
  expect(await wallet(buyer)).toBe(10_000);
  await report(buyer);
  expect(await wallet(buyer)).toBe(40_000);
  expect(await auto(buyer)).toMatchObject({ topups_today: 1, credits_this_month: 300 });
  await run();
  await report(buyer);
  expect(await wallet(buyer)).toBe(70_000);
  await run();
  expect(await intentsOf(buyer)).toHaveLength(2);
});

it.each([
  ['a day', { max_per_day: 1 }, 1],
  ['a month', { max_per_day: 24, max_per_month: 700 }, 2],
])('stays within the most of %s', async (_what, limits, most) => {
  const { buyer } = await saver();
  await set(buyer, { below_credits: 100_000, ...limits });
  for (let turn = 0; turn < 4; turn += 1) {
    await again(buyer);
    await run();
    await report(buyer);
  }
  expect(await intentsOf(buyer)).toHaveLength(most);
  expect(await auto(buyer)).toMatchObject({ status: 'on', failed_in_a_row: 0 });
});

it('makes one payment when the answer is lost and the process that began it is gone', async () => {
  const { buyer } = await saver();
  await set(buyer);
  stripe.failNext('forget');
  await market.container.autoTopups.run();
  await other.autoTopups.run();
  expect(await intentsOf(buyer)).toHaveLength(1);
  await market.owner.query(
    `UPDATE topups SET lease_until = now() - interval '1 second' WHERE user_id = $1 AND automatic`,
    [buyer.userId],
  );
  await run();
  expect(await intentsOf(buyer)).toHaveLength(1);
  const { rows } = await market.owner.query<{ provider_reference: string }>(
    'SELECT provider_reference FROM topups WHERE user_id = $1 AND automatic',
    [buyer.userId],
  );
  expect(rows).toEqual([{ provider_reference: (await intentsOf(buyer))[0]?.id }]);
  await report(buyer);
  expect(await wallet(buyer)).toBe(40_000);
});

it('gives up a payment that could not be requested for twelve hours', async () => {
  const { buyer } = await saver();
  await set(buyer);
  stripe.failNext(500);
  await market.container.autoTopups.run();
  await market.owner.query(
    `UPDATE topups SET lease_until = now() - interval '1 second', created_at = now() - interval '13 hours'
     WHERE user_id = $1 AND automatic`,
    [buyer.userId],
  );
  await run();
  expect(await notices(buyer)).toHaveLength(1);
  expect(await auto(buyer)).toMatchObject({ status: 'on', failed_in_a_row: 1 });
});

it('makes one notice of each failure, waits an hour, and stops after three', async () => {
  const { buyer, method } = await saver();
  await set(buyer);
  stripe.refused.set(method, 'insufficient_funds');
  await run();
  await run();
  expect(await notices(buyer)).toMatchObject([
    { message: expect.stringMatching(/insufficient funds.*hour/) as string },
  ]);
  for (let turn = 0; turn < 3; turn += 1) {
    await again(buyer);
    await run();
  }
  const told = await notices(buyer);
  expect(told).toHaveLength(3);
  expect(told[0]?.message).toMatch(/have stopped/);
  expect(await auto(buyer)).toMatchObject({ status: 'stopped', stopped_for: 'failed', failed_in_a_row: 3 });
  const { rows } = await market.owner.query('SELECT FROM notice_mails WHERE user_id = $1', [buyer.userId]);
  expect(rows.length).toBeGreaterThanOrEqual(3);
  stripe.refused.delete(method);
  await set(buyer);
  await run();
  await report(buyer);
  expect(await wallet(buyer)).toBe(40_000);
  expect(await auto(buyer)).toMatchObject({ status: 'on', failed_in_a_row: 0 });
});

it('fails by the event of a payment that was refused later', async () => {
  const { buyer } = await saver();
  await set(buyer);
  await run();
  const [intent] = await intentsOf(buyer);
  const failed = {
    ...intent,
    status: 'requires_payment_method',
    last_payment_error: { code: 'expired_card' },
  };
  const body = stripeEvent('payment_intent.payment_failed', failed);
  expect([await send(body), await send(body)]).toEqual([200, 200]);
  expect(await notices(buyer)).toMatchObject([{ message: expect.stringMatching(/expired card/) as string }]);
  expect(await wallet(buyer)).toBe(10_000);
});

it('stops when the method has ended: by an event of Stripe, and by a payment', async () => {
  const first = await saver();
  await set(first.buyer);
  expect(await send(stripeEvent('payment_method.detached', { id: first.method }))).toBe(200);
  await run();
  expect(await intentsOf(first.buyer)).toHaveLength(0);
  expect(await auto(first.buyer)).toMatchObject({
    status: 'stopped',
    stopped_for: 'method_ended',
    method: null,
  });
  expect(await notices(first.buyer)).toHaveLength(1);
  const second = await saver();
  await set(second.buyer);
  stripe.detached.add(second.method);
  await run();
  expect(await auto(second.buyer)).toMatchObject({
    status: 'stopped',
    stopped_for: 'method_ended',
    method: null,
  });
  expect(await notices(second.buyer)).toHaveLength(1);
});

it('buys nothing for a frozen wallet, and nothing when it is off', async () => {
  const { buyer } = await saver();
  await set(buyer);
  await market.owner.query(`INSERT INTO frozen_wallets (user_id) VALUES ($1)`, [buyer.userId]);
  await run();
  await market.owner.query(`DELETE FROM frozen_wallets WHERE user_id = $1`, [buyer.userId]);
  const off = { method: 'DELETE', headers: { cookie: buyer.cookie } };
  expect((await fetch(`${market.url}/v1/billing/auto-topup`, off)).status).toBe(204);
  await run();
  expect(await intentsOf(buyer)).toHaveLength(0);
});

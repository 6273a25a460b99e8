/** Top-ups in currencies with a fixed price and with a rate, and what stops arbitrage between them (ADR 0303). */
import {
  register,
  startMarket,
  balance,
  expectWholeLedger,
  type TestMarket,
  type TestUser,
} from '../../support/market';
import { request } from '../../support/catalogue/publishing';

let market: TestMarket;
let buyer: TestUser;

beforeAll(async () => {
  market = await startMarket({ operations: false });
  buyer = await register(market, 'buyer');
});
afterEach(() => expectWholeLedger(market));
afterAll(() => market.stop());

const know = (pair: string, rate: string, daysAgo = 0) =>
  market.owner.query(
    `INSERT INTO fx_rates (base, quote, rate, observed_at, source, loaded_by)
     VALUES ('USD', $1, $2, now() - $3 * interval '1 day', 'test', 'source:test')`,
    [pair, rate, daysAgo],
  );
const topUp = async (amountPaise: number, currency: string, more: object = {}) => {
  const body = { amountPaise, currency, ...more };
  const answer = await request(market, buyer, 'POST', '/v1/billing/topup', body);
  return { status: answer.status, body: answer.body as Record<string, unknown> };
};
const quote = (amountPaise: number, currency: string) =>
  request(market, buyer, 'GET', `/v1/billing/topup/quote?amountPaise=${amountPaise}&currency=${currency}`);
beforeEach(() => market.owner.query('TRUNCATE fx_rates'));

it('credits 1 credit for 1 rupee and for 1 cent, whatever rates there are', async () => {
  await know('INR', '84.12');
  expect((await topUp(12_345, 'INR')).body).toMatchObject({ credits: 123.45 });
  expect((await topUp(12_345, 'USD')).body).toMatchObject({ credits: 12_345 });
  expect((await topUp(12_345, 'USD')).body).not.toHaveProperty('exchange');
});

it('shows credits, rate, day and spread before the payment, and credits the same', async () => {
  await know('EUR', '0.92');
  const before = await balance(market.owner, buyer.userId, 'wallet');
  // EUR 100.00 / 0.92 = USD 108.6956…, less 2 %: 10,652.17 credits.
  const shown = { credits: 10_652.17, exchange: { rate: '0.920000', spread_percent: 2 } };
  expect(await quote(10_000, 'EUR')).toMatchObject({ status: 200, body: shown });
  expect(await topUp(10_000, 'EUR', { min_credits: 10_652.17 })).toMatchObject({ status: 201, body: shown });
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(before + 1_065_217);
});

it('takes nothing when the rate has become worse than what was shown', async () => {
  await know('GBP', '0.80');
  expect((await topUp(10_000, 'GBP', { min_credits: 12_250 })).status).toBe(201);
  await know('GBP', '0.81');
  const { status, body } = await topUp(10_000, 'GBP', { min_credits: 12_250 });
  expect([status, body]).toMatchObject([409, { error: { code: 'invalid_state' } }]);
});

it.each([
  ['without a rate', []],
  ['with a rate of eight days ago', [['EUR', '0.92', 8]]],
  ['with a rate of tomorrow', [['EUR', '0.92', -1]]],
] as [string, [string, string, number][]][])(
  'refuses euros %s, and names what is taken',
  async (_what, rates) => {
    for (const rate of rates) await know(...rate);
    const { status, body } = await topUp(10_000, 'EUR');
    expect([status, body]).toMatchObject([422, { error: { code: 'unsupported_currency' } }]);
    expect(JSON.stringify(body)).toMatch(/taken now: INR, USD\./);
    const { body: market_ } = await request(market, buyer, 'GET', '/v1/marketplace');
    const { currencies } = (market_ as { top_up: { currencies: { currency: string }[] } }).top_up;
    expect(currencies.map(({ currency }) => currency)).toEqual(['INR', 'USD']);
  },
);

it('refuses rupees while they are worth less than the credits, however old the rate is', async () => {
  await know('INR', '97.9', 3);
  expect((await topUp(10_000, 'INR')).status).toBe(201);
  await know('INR', '98.1', 1);
  const { status, body } = await topUp(10_000, 'INR');
  expect([status, body]).toMatchObject([422, { error: { code: 'unsupported_currency' } }]);
  await market.owner.query(`UPDATE fx_rates SET observed_at = observed_at - interval '30 days'`);
  expect((await quote(10_000, 'INR')).status).toBe(422);
});

it('takes all credits of a payment back by parts at an uneven rate', async () => {
  await know('EUR', '0.93');
  const pay = `pi_parts`;
  await market.owner.query(
    `INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider, rate, rate_at, spread_percent)
     VALUES ('top_' || repeat('a', 32), $1, 1000, 'EUR', 105376, 'stripe', 0.93, now(), 2)`,
    [buyer.userId],
  );
  const before = await balance(market.owner, buyer.userId, 'wallet');
  await market.owner.query(
    `SELECT payment_record('stripe', 'evt_p', 't', $1, 'top_' || repeat('a', 32), 1000, 'EUR')`,
    [pay],
  );
  for (const part of [333, 333, 334])
    await market.owner.query(
      `SELECT payment_reverse('stripe', $1, 't', $1, 'refund', 'take', $2, $3, 'EUR')`,
      [`re_${part}_${Math.random().toString(16).slice(2)}`, pay, part],
    );
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(before);
});

it('names every problem of a quote', async () => {
  const { status, body } = await quote(1, 'CHF');
  expect(status).toBe(422);
  expect((body as { detail: { loc: string[] }[] }).detail.map(({ loc }) => loc.join('.'))).toContain(
    'query.currency',
  );
});

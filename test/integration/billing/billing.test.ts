import { startBilling, type TestBilling } from '../../support/billing/billing';

let billing: TestBilling;
let register: TestBilling['register'];
let call: TestBilling['call'];
let topUp: TestBilling['topUp'];

beforeAll(async () => {
  billing = await startBilling();
  ({ register, call, topUp } = billing);
});
afterAll(() => billing.stop());

describe('top-up', () => {
  it('credits 1 credit for 100 paise and for 1 cent, exactly', async () => {
    const buyer = await register('buyer');
    const rupees = await topUp(buyer, 12_345);
    expect(rupees.status).toBe(201);
    expect(rupees.body).toMatchObject({
      topup_id: expect.stringMatching(/^top_[0-9a-f]{32}$/),
      status: 'succeeded',
      credits: 123.45,
      amount_minor: 12_345,
      currency: 'INR',
      invoice_id: expect.stringMatching(/^ivc_[0-9a-f]{32}$/),
      balance: { available_credits: 123.45, escrow_credits: 0, usd_equivalent: 1.2345 },
    });
    const cents = await topUp(buyer, 250, 'USD');
    expect(cents.body).toMatchObject({ credits: 250, balance: { available_credits: 373.45 } });
    const { body } = await call(buyer, 'GET', '/v1/billing/balance');
    expect(body).toEqual(cents.body.balance);
  });

  it('is returned again for the same key, without another credit', async () => {
    const buyer = await register('buyer');
    const first = await topUp(buyer, 5_000, 'INR', 'key-1');
    const again = await topUp(buyer, 5_000, 'INR', 'key-1');
    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.body.balance.available_credits).toBe(50);
  });

  it('answers 409 when a key comes back with another amount or currency', async () => {
    const buyer = await register('buyer');
    await topUp(buyer, 5_000, 'INR', 'key-1');
    for (const other of [
      await topUp(buyer, 5_001, 'INR', 'key-1'),
      await topUp(buyer, 5_000, 'USD', 'key-1'),
    ]) {
      expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_key_reused']);
    }
    expect((await topUp(await register('buyer'), 700, 'INR', 'key-1')).status).toBe(201);
  });

  it('credits once when 20 requests with one key arrive together', async () => {
    const buyer = await register('buyer');
    const replies = await Promise.all(Array.from({ length: 20 }, () => topUp(buyer, 5_000, 'INR', 'key-1')));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(replies.map(({ body }) => body.topup_id)).size).toBe(1);
    expect((await call(buyer, 'GET', '/v1/billing/balance')).body.available_credits).toBe(50);
    expect((await call(buyer, 'GET', '/v1/billing/invoices')).body.total).toBe(1);
  });

  it('continues where it stopped when the provider failed half-way', async () => {
    const buyer = await register('buyer');
    billing.payWith({ name: 'sandbox', start: () => Promise.reject(new Error('the provider is away')) });
    expect((await topUp(buyer, 5_000, 'INR', 'key-1')).status).toBe(500);
    billing.payWith();
    expect((await call(buyer, 'GET', '/v1/billing/balance')).body.available_credits).toBe(0);
    const again = await topUp(buyer, 5_000, 'INR', 'key-1');
    expect(again.body).toMatchObject({ status: 'succeeded', balance: { available_credits: 50 } });
  });

  it('stays pending with the address of the payment page if the provider has one', async () => {
    const buyer = await register('buyer');
    billing.payWith({
      name: 'sandbox',
      start: ({ topupId }) =>
        Promise.resolve({ status: 'pending', reference: topupId, url: 'https://pay.example/1' }),
    });
    const reply = await topUp(buyer, 5_000);
    billing.payWith();
    expect(reply.body).toMatchObject({ status: 'pending', payment_url: 'https://pay.example/1' });
    expect(reply.body).not.toHaveProperty('invoice_id');
    expect(reply.body.balance.available_credits).toBe(0);
  });

  it.each([
    ['99 paise', 99, 'INR', 'amountPaise', 'minimum'],
    ['10,000,001 cents', 10_000_001, 'USD', 'amountPaise', 'maximum'],
    ['nothing', 0, 'INR', 'amountPaise', 'minimum'],
    ['a negative amount', -500, 'INR', 'amountPaise', 'minimum'],
    ['half a paisa', 100.5, 'INR', 'amountPaise', 'type'],
    ['text', '500', 'INR', 'amountPaise', 'type'],
    ['null', null, 'INR', 'amountPaise', 'type'],
    ['a currency that is a number', 500, 7, 'currency', 'type'],
    ['NUL in the currency', 500, 'IN\u0000', 'currency', 'format'],
  ])('refuses %s', async (_what, amount, currency, field, type) => {
    const buyer = await register('buyer');
    const reply = await topUp(buyer, amount, currency);
    expect([reply.status, reply.body.error.code]).toEqual([422, 'validation_failed']);
    expect(reply.body.detail).toEqual([expect.objectContaining({ loc: ['body', field], type })]);
  });

  it.each(['CHF', 'inr', 'XXX', '__proto__', 'constructor'])('refuses currency %s', async (currency) => {
    const reply = await topUp(await register('buyer'), 500, currency);
    expect([reply.status, reply.body.error.code]).toEqual([422, 'unsupported_currency']);
    const both = await topUp(await register('buyer'), -1, currency);
    expect(both.body.detail.map((problem) => problem.loc[1])).toEqual(['amountPaise', 'currency']);
    expect(reply.body.detail).toEqual([expect.objectContaining({ loc: ['body', 'currency'], type: 'enum' })]);
  });

  it('refuses bodies with a missing field, a further field, or an integer that no number holds', async () => {
    const buyer = await register('buyer');
    const post = (body: unknown) => call(buyer, 'POST', '/v1/billing/topup', body);
    expect((await post({ amountPaise: 500 })).body.detail[0]?.loc).toEqual(['body', 'currency']);
    expect((await post({ amountPaise: 500, currency: 'INR', credits: 5 })).status).toBe(422);
    expect((await post('{"amountPaise": 12345678901234567890, "currency": "INR"}')).status).toBe(400);
    expect((await post('{"amountPaise": 1e130000, "currency": "INR"}')).status).toBe(400);
    expect((await call(buyer, 'GET', '/v1/billing/balance')).body.available_credits).toBe(0);
  });

  it('refuses a key that is too long or not ASCII', async () => {
    const buyer = await register('buyer');
    const long = await topUp(buyer, 500, 'INR', 'k'.repeat(256));
    expect([long.status, long.body.error.code]).toEqual([400, 'invalid_header']);
    expect((await topUp(buyer, 500, 'INR', 'schl\u00fcssel')).status).toBe(400);
  });
});

describe('registration fee', () => {
  it('takes 1000 credits once and lets the developer publish', async () => {
    const developer = await register('developer');
    const short = await call(developer, 'POST', '/v1/users/pay-registration');
    expect([short.status, short.body.error.code]).toEqual([402, 'insufficient_credits']);
    expect(short.body.error.message).toContain(
      'The registration fee is 1000 credits; the wallet has 0 credits.',
    );
    await topUp(developer, 100_050);
    const paid = await call(developer, 'POST', '/v1/users/pay-registration');
    expect([paid.status, paid.body]).toEqual([
      200,
      { registration_paid: true, charged_credits: 1_000, balance_credits: 0.5 },
    ]);
    const again = await call(developer, 'POST', '/v1/users/pay-registration');
    expect(again.body).toEqual({ registration_paid: true, charged_credits: 0, balance_credits: 0.5 });
    expect((await call(developer, 'GET', '/v1/auth/me')).body.registration_paid).toBe(true);
    const { body } = await call(developer, 'GET', '/v1/billing/ledger');
    expect(body.items[0]).toMatchObject({
      entry_type: 'registration_fee',
      credits: -1_000,
      balance_after_credits: 0.5,
    });
  });

  it('is refused to buyers', async () => {
    const reply = await call(await register('buyer'), 'POST', '/v1/users/pay-registration');
    expect([reply.status, reply.body.error.code]).toEqual([403, 'forbidden']);
  });
});

it.each([
  ['GET', '/v1/billing/balance'],
  ['POST', '/v1/billing/topup'],
  ['GET', '/v1/billing/ledger'],
  ['GET', '/v1/billing/invoices'],
  ['POST', '/v1/users/pay-registration'],
  ['GET', '/v1/billing/developer/balance'],
  ['GET', '/v1/billing/developer/transactions'],
])('%s %s requires authentication', async (method, path) => {
  const reply = await call(null, method, path, method === 'POST' ? {} : undefined);
  expect([reply.status, reply.body.error.code]).toEqual([401, 'not_authenticated']);
});

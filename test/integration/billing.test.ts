import { Pool } from 'pg';
import { billingRoutes } from '../../src/api/routes/billing';
import type { BindRoutes } from '../../src/api/route';
import { createBillingService } from '../../src/services/billing';
import { sandboxPayments, type PaymentProvider } from '../../src/services/billing-payments';
import { createLedgerService, type LedgerService } from '../../src/services/ledger';
import { startTestApi, type TestApi } from '../support/api';
import { expectWhole, holdRequest } from '../support/ledger';

let api: TestApi;
let pool: Pool;
let ledger: LedgerService;
let payments: PaymentProvider = sandboxPayments;

const routes: BindRoutes<unknown> = (binder, deps) => {
  pool = new Pool({
    connectionString: (deps as { config: { DATABASE_URL: string } }).config.DATABASE_URL,
    max: 8,
  });
  ledger = createLedgerService({ pool });
  const chosen: PaymentProvider = { name: 'sandbox', start: (request) => payments.start(request) };
  const limits = { minMinor: 100, maxMinor: 10_000_000 };
  billingRoutes(binder, {
    ledger,
    billing: createBillingService({ pool, ledger, payments: chosen, limits, issuer: ['Market Ltd'] }),
  });
};

beforeAll(async () => {
  api = await startTestApi({ routes: [routes] });
});
afterAll(async () => {
  await expectWhole(pool);
  await pool.end();
  await api.close();
});

interface Caller {
  userId: string;
  cookie: string;
}

let people = 0;

async function register(role: 'buyer' | 'developer'): Promise<Caller> {
  people += 1;
  const response = await fetch(`${api.url}/v1/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      email: `${role}-${people}@example.test`,
      password: 'correct horse battery',
      displayName: `${role} ${people}`,
      role,
    }),
  });
  const { user_id: userId } = (await response.json()) as { user_id: string };
  return {
    userId,
    cookie: response.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; '),
  };
}

interface Item {
  entry_type: string;
  credits: number;
  balance_after_credits: number;
  invocation_id?: string;
  description: string;
  account?: string;
  number: string;
}

/** The fields of any answer that the tests look at. */
interface Body {
  items: Item[];
  total: number;
  next_cursor: string | null;
  topup_id: string;
  available_credits: number;
  balance: { available_credits: number };
  registration_paid: boolean;
  error: { code: string };
  detail: { loc: string[]; type: string }[];
}

interface Reply {
  status: number;
  headers: Headers;
  body: Body;
}

async function call(
  caller: Caller | null,
  method: string,
  path: string,
  body?: unknown,
  headers = {},
): Promise<Reply> {
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: {
      ...(caller ? { cookie: caller.cookie } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
}

const topUp = (caller: Caller, amountPaise: unknown, currency: unknown = 'INR', key?: string) =>
  call(caller, 'POST', '/v1/billing/topup', { amountPaise, currency }, key ? { 'idempotency-key': key } : {});

async function invocation(buyer: Caller, developer: Caller, credits: number, charged: number | 'failed') {
  const request = holdRequest(buyer.userId, developer.userId, credits);
  const { invocationId } = request;
  await ledger.hold([request]);
  if (charged === 'failed') await ledger.voidHold([{ invocationId, disputed: false }]);
  else await ledger.capture([{ invocationId, grossUnits: charged * 100, maturesAt: new Date(0) }]);
  return invocationId;
}

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

  it('is the same again with the same key, and credits nothing', async () => {
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

  it('goes on where it stopped when the provider failed half-way', async () => {
    const buyer = await register('buyer');
    payments = { name: 'sandbox', start: () => Promise.reject(new Error('the provider is away')) };
    expect((await topUp(buyer, 5_000, 'INR', 'key-1')).status).toBe(500);
    payments = sandboxPayments;
    expect((await call(buyer, 'GET', '/v1/billing/balance')).body.available_credits).toBe(0);
    const again = await topUp(buyer, 5_000, 'INR', 'key-1');
    expect(again.body).toMatchObject({ status: 'succeeded', balance: { available_credits: 50 } });
  });

  it('stays pending with an address to pay at when the provider wants one', async () => {
    const buyer = await register('buyer');
    payments = {
      name: 'sandbox',
      start: ({ topupId }) =>
        Promise.resolve({ status: 'pending', reference: topupId, url: 'https://pay.example/1' }),
    };
    const reply = await topUp(buyer, 5_000);
    payments = sandboxPayments;
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

  it.each(['EUR', 'inr', 'XXX', '__proto__', 'constructor'])('refuses currency %s', async (currency) => {
    const reply = await topUp(await register('buyer'), 500, currency);
    expect([reply.status, reply.body.error.code]).toEqual([422, 'unsupported_currency']);
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

describe('ledger', () => {
  it('lists every credit and debit, newest first, each with its running balance', async () => {
    const [buyer, developer] = [await register('buyer'), await register('developer')];
    await topUp(buyer, 10_000);
    const charged = await invocation(buyer, developer, 10, 4);
    const failed = await invocation(buyer, developer, 20, 'failed');
    const { body } = await call(buyer, 'GET', '/v1/billing/ledger');
    expect(
      body.items.map((item) => [
        item.entry_type,
        item.credits,
        item.balance_after_credits,
        item.invocation_id,
        item.description,
      ]),
    ).toEqual([
      ['refund', 20, 96, failed, 'Returned in full, the call failed: agt_csv_profiler_v1'],
      ['invocation_hold', -20, 76, failed, 'Held in escrow: agt_csv_profiler_v1'],
      ['invocation_charge', -4, 96, charged, 'Charge: agt_csv_profiler_v1'],
      ['invocation_release', 10, 100, charged, 'Hold released: agt_csv_profiler_v1'],
      ['invocation_hold', -10, 90, charged, 'Held in escrow: agt_csv_profiler_v1'],
      ['topup', 100, 100, undefined, 'Top-up of INR 100.00'],
    ]);
    expect(body).toMatchObject({ total: 6, next_cursor: null });
    const sum = body.items.reduce((total, item) => total + item.credits, 0);
    expect(sum).toBe((await call(buyer, 'GET', '/v1/billing/balance')).body.available_credits);
  });

  it('pages without losing or repeating a line while new ones arrive', async () => {
    const buyer = await register('buyer');
    for (let n = 1; n <= 7; n += 1) await topUp(buyer, n * 100);
    const seen: number[] = [];
    let cursor: string | null = null;
    do {
      const page: Reply = await call(
        buyer,
        'GET',
        `/v1/billing/ledger?limit=3${cursor ? `&cursor=${cursor}` : ''}`,
      );
      seen.push(...page.body.items.map((item) => item.credits));
      cursor = page.body.next_cursor;
      await topUp(buyer, 5_000);
    } while (cursor);
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  it('filters by type and time', async () => {
    const [buyer, developer] = [await register('buyer'), await register('developer')];
    await topUp(buyer, 10_000);
    await invocation(buyer, developer, 5, 5);
    const charges = await call(buyer, 'GET', '/v1/billing/ledger?entry_type=invocation_charge');
    expect(charges.body.items.map((item) => item.credits)).toEqual([-5]);
    expect(charges.body.total).toBe(1);
    const future = await call(buyer, 'GET', '/v1/billing/ledger?since=2099-01-01T00:00:00Z');
    expect(future.body).toEqual({ items: [], next_cursor: null, total: 0 });
    expect((await call(buyer, 'GET', '/v1/billing/ledger?since=2020-01-01T00:00:00Z')).body.total).toBe(4);
    expect((await call(buyer, 'GET', '/v1/billing/ledger?since=2020-01-01')).body.total).toBe(4);
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'cursor=x',
    'cursor=%00',
    'since=infinity',
    'since=yesterday',
    'since=2016-12-31T23:59:60Z',
    'since=2026-02-30',
    'entry_type=bribe',
    'user=1',
  ])('refuses ?%s', async (query) => {
    const reply = await call(await register('buyer'), 'GET', `/v1/billing/ledger?${query}`);
    expect([reply.status, reply.body.error.code]).toEqual([422, 'validation_failed']);
  });

  it("does not take another user's cursor, nor one of another list", async () => {
    const [one, two] = [await register('buyer'), await register('buyer')];
    for (const caller of [one, two]) for (let n = 0; n < 2; n += 1) await topUp(caller, 100);
    const { next_cursor: cursor } = (await call(one, 'GET', '/v1/billing/ledger?limit=1')).body;
    expect((await call(two, 'GET', `/v1/billing/ledger?cursor=${cursor}`)).status).toBe(422);
    expect((await call(one, 'GET', `/v1/billing/invoices?cursor=${cursor}`)).status).toBe(422);
    expect((await call(one, 'GET', `/v1/billing/ledger?cursor=${cursor}`)).body.items).toHaveLength(1);
  });

  it('shows nobody the lines of others', async () => {
    const [rich, poor] = [await register('buyer'), await register('buyer')];
    await topUp(rich, 5_000);
    expect((await call(poor, 'GET', '/v1/billing/ledger')).body.total).toBe(0);
    expect((await call(poor, 'GET', '/v1/billing/invoices')).body.total).toBe(0);
    expect((await call(poor, 'GET', '/v1/billing/balance')).body.available_credits).toBe(0);
  });
});

describe('invoices', () => {
  it('gives each top-up one, numbered without gaps and marked sandbox', async () => {
    const buyer = await register('buyer');
    await topUp(buyer, 5_000);
    await topUp(buyer, 300, 'USD');
    const { body } = await call(buyer, 'GET', '/v1/billing/invoices?limit=1');
    expect(body).toMatchObject({
      total: 2,
      items: [{ credits: 300, amount_minor: 300, currency: 'USD', status: 'sandbox' }],
    });
    const next = await call(buyer, 'GET', `/v1/billing/invoices?limit=1&cursor=${body.next_cursor}`);
    expect(next.body).toMatchObject({ next_cursor: null, items: [{ credits: 50, currency: 'INR' }] });
    const [newer, older] = [body.items[0]!.number, next.body.items[0]!.number].map((number) => {
      expect(number).toMatch(/^SBX-\d{4}-\d{6}$/);
      return Number(number.slice(-6));
    });
    expect(newer! - older!).toBe(1);
  });
});

describe('registration fee', () => {
  it('takes 1000 credits once and lets the developer publish', async () => {
    const developer = await register('developer');
    const short = await call(developer, 'POST', '/v1/users/pay-registration');
    expect([short.status, short.body.error.code]).toEqual([402, 'insufficient_credits']);
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

  it('is not for buyers', async () => {
    const reply = await call(await register('buyer'), 'POST', '/v1/users/pay-registration');
    expect([reply.status, reply.body.error.code]).toEqual([403, 'forbidden']);
  });
});

describe("the developer's side", () => {
  it('shows earnings of 97%, and what a lost dispute took back', async () => {
    const [buyer, developer] = [await register('buyer'), await register('developer')];
    await topUp(buyer, 10_000);
    const kept = await invocation(buyer, developer, 10, 10);
    const lost = await invocation(buyer, developer, 20, 20);
    await ledger.rollUp();
    await ledger.clawback([lost]);
    const balance = await call(developer, 'GET', '/v1/billing/developer/balance');
    expect(balance.body).toMatchObject({
      available_credits: 0,
      pending_payout_credits: 9.7,
      matured_credits: 9.7,
      bond_credits: 0,
      lifetime_earned_credits: 9.7,
    });
    const { body } = await call(developer, 'GET', '/v1/billing/developer/transactions');
    expect(
      body.items.map((item) => [
        item.entry_type,
        item.credits,
        item.balance_after_credits,
        item.account,
        item.invocation_id,
      ]),
    ).toEqual([
      ['dispute_refund', -19.4, 9.7, 'payable', lost],
      ['invocation_earning', 19.4, 29.1, 'payable', lost],
      ['invocation_earning', 9.7, 9.7, 'payable', kept],
    ]);
    const refund = (await call(buyer, 'GET', '/v1/billing/ledger?limit=1')).body.items[0];
    expect(refund).toMatchObject({ entry_type: 'dispute_refund', credits: 20, invocation_id: lost });
  });

  it.each(['balance', 'transactions'])('keeps buyers out of developer/%s', async (view) => {
    const reply = await call(await register('buyer'), 'GET', `/v1/billing/developer/${view}`);
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
])('%s %s needs somebody logged in', async (method, path) => {
  const reply = await call(null, method, path, method === 'POST' ? {} : undefined);
  expect([reply.status, reply.body.error.code]).toEqual([401, 'not_authenticated']);
});

/**
 * Payments of a payment provider: credited once, only if they match a top-up, and only if the provider signed the
 * event.
 */
import { textOfPdf } from '../../support/documents/pdf';
import {
  balance,
  expectWholeLedger,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../../support/market';
import {
  paidEvent,
  RAZORPAY,
  signRazorpay,
  startRazorpay,
  type RazorpayServer,
} from '../../support/billing/razorpay';

let market: TestMarket;
let provider: RazorpayServer;
let operator: TestUser;

beforeAll(async () => {
  provider = await startRazorpay();
  const env = {
    PAYMENT_PROVIDER: 'razorpay',
    RAZORPAY_API_URL: provider.url,
    RAZORPAY_KEY_ID: RAZORPAY.keyId,
    RAZORPAY_KEY_SECRET: RAZORPAY.keySecret,
    RAZORPAY_WEBHOOK_SECRETS: `old-secret, ${RAZORPAY.webhookSecret}`,
  };
  market = await startMarket({ operations: false, env });
  operator = await register(market, 'buyer');
  await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
});
afterAll(async () => {
  await expectWholeLedger(market);
  await market.stop();
  await provider.stop();
});

interface Reply {
  status: number;
  body: Record<string, unknown>;
}

async function call(
  user: TestUser,
  method: string,
  path: string,
  json?: unknown,
  key?: string,
): Promise<Reply> {
  const response = await fetch(`${market.url}${path}`, {
    method,
    headers: {
      cookie: user.cookie,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function tell(body: string, options: { signature?: string; eventId?: string } = {}): Promise<number> {
  const response = await fetch(`${market.url}/v1/payments/razorpay/webhook`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-razorpay-signature': options.signature ?? signRazorpay(body),
      ...(options.eventId === undefined ? {} : { 'x-razorpay-event-id': options.eventId }),
    },
    body,
  });
  await response.arrayBuffer();
  return response.status;
}

const wallet = (user: TestUser) => balance(market.owner, user.userId, 'wallet');
const topUp = (user: TestUser, amountPaise = 50_000, key?: string) =>
  call(user, 'POST', '/v1/billing/topup', { amountPaise, currency: 'INR' }, key);

/** A buyer with a top-up that waits for its payment. */
async function waiting(amountPaise?: number) {
  const buyer = await register(market, 'buyer');
  const { body } = await topUp(buyer, amountPaise);
  const link = provider.links.find((made) => made.reference_id === body['topup_id']);
  if (!link) throw new Error(JSON.stringify(body));
  return { buyer, link, topupId: link.reference_id };
}

async function invoices(user: TestUser): Promise<unknown[]> {
  return (await call(user, 'GET', '/v1/billing/invoices')).body['items'] as unknown[];
}

describe('a top-up', () => {
  it('is pending with the address of the payment page, and credits when the provider reports the payment', async () => {
    const buyer = await register(market, 'buyer');
    const { status, body } = await topUp(buyer);
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: 'pending', credits: 500, balance: { available_credits: 0 } });
    expect(body['payment_url']).toMatch(/^https:\/\/rzp\.io\/i\//);
    const link = provider.links.at(-1);
    expect(link).toMatchObject({ reference_id: body['topup_id'], amount: 50_000, currency: 'INR' });
    expect(await tell(paidEvent(link!))).toBe(200);
    expect(await wallet(buyer)).toBe(50_000);
    expect(await invoices(buyer)).toMatchObject([
      { number: expect.stringMatching(/^INV-\d{4}-\d{6}$/) as string, status: 'paid', amount_minor: 50_000 },
    ]);
  });

  it('makes one link for one idempotency key, also when the first answer was lost', async () => {
    const buyer = await register(market, 'buyer');
    provider.failNext('forget');
    const lost = await topUp(buyer, 20_000, 'key-1');
    expect(lost.status).toBe(503);
    expect(lost.body).toMatchObject({ error: { code: 'not_ready', retryable: true } });
    const [again, other] = await Promise.all([topUp(buyer, 20_000, 'key-1'), topUp(buyer, 20_000, 'key-1')]);
    expect([again.status, other.status]).toEqual([201, 201]);
    expect(again.body['payment_url']).toBe(other.body['payment_url']);
    expect(provider.links.filter((link) => link.reference_id === again.body['topup_id'])).toHaveLength(1);
  });

  it('asks for a retry when the provider fails, without the provider’s message', async () => {
    const buyer = await register(market, 'buyer');
    provider.failNext(500);
    const { status, body } = await topUp(buyer);
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toMatch(/trouble|rzp|razorpay/i);
  });

  it('is over when its link expires, and a payment that still comes waits for an operator', async () => {
    const { buyer, link } = await waiting();
    expect(await tell(paidEvent(link, { event: 'payment_link.expired' }))).toBe(200);
    expect(await tell(paidEvent(link, { paymentId: 'pay_late' }))).toBe(200);
    expect(await wallet(buyer)).toBe(0);
    const payment = await call(operator, 'GET', '/v1/operator/payments/pay_late');
    expect(payment.body).toMatchObject({ state: 'quarantined', quarantine_reason: 'topup_closed' });
  });
});

describe('an event', () => {
  it.each([
    ['no signature', ''],
    ['a signature of other bytes', signRazorpay('{}')],
    ['a signature under a guessed secret', 'guess'],
  ])('with %s credits nothing', async (_what, signature) => {
    const { buyer, link } = await waiting();
    const body = paidEvent(link);
    const given = signature === 'guess' ? signRazorpay(body, 'guess') : signature;
    expect(await tell(body, { signature: given })).toBe(401);
    expect(await wallet(buyer)).toBe(0);
  });

  it('is accepted under the secret from before a rotation', async () => {
    const { buyer, link } = await waiting();
    const body = paidEvent(link);
    expect(await tell(body, { signature: signRazorpay(body, 'old-secret') })).toBe(200);
    expect(await wallet(buyer)).toBe(50_000);
  });

  it('credits once when it comes many times at once, under one id or several, and in several events', async () => {
    const { buyer, link } = await waiting();
    const body = paidEvent(link, { paymentId: 'pay_once' });
    const other = paidEvent(link, { paymentId: 'pay_once' });
    const ids = ['evt_1', 'evt_1', 'evt_2', undefined, undefined, 'evt_3'];
    const told = await Promise.all([
      ...ids.map((eventId) => tell(body, eventId === undefined ? {} : { eventId })),
      tell(other, { eventId: 'evt_4' }),
    ]);
    expect(told).toEqual(told.map(() => 200));
    expect(await wallet(buyer)).toBe(50_000);
    expect(await invoices(buyer)).toHaveLength(1);
  });

  it.each([
    ['null', null],
    ['empty', ''],
    ['missing', undefined],
    ['of another system', 'Invoice 12'],
    ['in another script', 'चालान १२ — ₹500'],
    ['long', 'x'.repeat(300)],
    ['no text', 7],
    ['with a NUL character', 'a\u0000b'],
  ])('about a link of another system, whose reference is %s, is taken and kept', async (what, reference) => {
    const id = `pay_foreign${what.replaceAll(' ', '')}`;
    const link = { id: 'plink_x', reference_id: reference };
    const payment = { id, status: 'captured', amount: 700, currency: 'INR' };
    for (const event of ['payment_link.expired', 'payment_link.cancelled', 'payment_link.paid']) {
      const payload = { payment_link: { entity: link }, payment: { entity: payment } };
      expect([event, await tell(JSON.stringify({ event, payload }))]).toEqual([event, 200]);
    }
    const kept = await call(operator, 'GET', `/v1/operator/payments/${id}`);
    expect(kept.body).toMatchObject({ state: 'quarantined', quarantine_reason: 'unknown_topup' });
    const shown =
      typeof reference === 'string' && /^[^\0]+$/.test(reference) ? reference.slice(0, 100) : null;
    expect(kept.body['reference']).toBe(shown);
  });

  it.each([
    ['without a payment', undefined],
    ['with a payment of null', null],
    ['with a payment that has no amount', { id: 'pay_odd', status: 'captured', currency: 'INR' }],
    ['with a fraction as amount', { id: 'pay_odd', status: 'captured', amount: 7.5, currency: 'INR' }],
  ])(
    'about a link of another system, %s, is taken, because refusals disable the webhook',
    async (_what, entity) => {
      for (const event of ['payment_link.paid', 'payment_link.partially_paid']) {
        for (const reference of [null, '', 'Invoice 12', undefined]) {
          const payment_link = { entity: { id: 'plink_x', reference_id: reference } };
          const body = JSON.stringify({ event, payload: { payment_link, payment: { entity } } });
          expect([event, reference, await tell(body)]).toEqual([event, reference, 200]);
        }
        expect(await tell(JSON.stringify({ event, payload: {} }))).toBe(200);
      }
    },
  );

  it('about a top-up without a payment is refused, so that the provider sends it again', async () => {
    const { link } = await waiting();
    const payment_link = { entity: { id: link.id, reference_id: link.reference_id } };
    expect(await tell(JSON.stringify({ event: 'payment_link.paid', payload: { payment_link } }))).toBe(422);
  });

  it.each([
    ['that is not JSON', '{'],
    ['that is no object', '[]'],
  ])('%s is refused, although it is signed', async (_what, body) => {
    const status = await tell(body);
    expect([400, 422]).toContain(status);
  });

  it('about something else, or about a payment that is not captured, changes nothing', async () => {
    const { buyer, link } = await waiting();
    expect(await tell(paidEvent(link, { event: 'refund.created' }))).toBe(200);
    expect(await tell(paidEvent(link, { status: 'authorized' }))).toBe(200);
    expect(await wallet(buyer)).toBe(0);
  });
});

describe('an invoice', () => {
  it('has the next number of its series, without gaps, however many are paid at once', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => waiting(1_000)));
    await Promise.all(all.map(({ link }) => tell(paidEvent(link))));
    const numbers = 'SELECT series_no::int FROM invoices WHERE status = $1 ORDER BY series_no';
    const { rows } = await market.owner.query<{ series_no: number }>(numbers, ['paid']);
    expect(rows.map(({ series_no: no }) => no)).toEqual(rows.map((_, index) => index + 1));
    expect(rows.length).toBeGreaterThanOrEqual(6);
  });

  it('is a PDF for its owner, with whole cross-references, and 404 for others', async () => {
    const { buyer, link } = await waiting(123_456);
    await tell(paidEvent(link));
    const [invoice] = (await invoices(buyer)) as { invoice_id: string; number: string }[];
    const path = `${market.url}/v1/billing/invoices/${invoice?.invoice_id}.pdf`;
    const response = await fetch(path, { headers: { cookie: buyer.cookie } });
    expect(response.headers.get('content-type')).toBe('application/pdf');
    const bytes = Buffer.from(await response.arrayBuffer());
    const words = await textOfPdf(bytes);
    const pdf = bytes.toString('latin1');
    expect(words).toContain(invoice?.number);
    expect(words).toMatch(/1234\.56 marketplace credits \(top-up\)\s+INR 1234\.56/);
    expect(words).toContain(buyer.email);
    const offsets = [...pdf.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset));
    expect(offsets.length).toBeGreaterThan(4);
    offsets.forEach((offset, index) => {
      expect(pdf.slice(offset, offset + 12)).toMatch(new RegExp(`^${index + 1} 0 obj`));
    });
    expect(pdf.slice(Number(/startxref\n(\d+)/.exec(pdf)?.[1]))).toMatch(/^xref/);
    expect((await fetch(path, { headers: { cookie: operator.cookie } })).status).toBe(404);
  });
});

describe('a payment that matches no open top-up', () => {
  it.each([
    ['of less', { amount: 40_000 }, 'amount_mismatch'],
    ['of another currency', { currency: 'USD' }, 'currency_mismatch'],
  ])('%s is quarantined and credits nothing', async (_what, options, quarantine_reason) => {
    const { buyer, link, topupId } = await waiting();
    const paymentId = `pay_${quarantine_reason}`;
    expect(await tell(paidEvent(link, { ...options, paymentId }))).toBe(200);
    expect(await wallet(buyer)).toBe(0);
    const { body } = await call(operator, 'GET', '/v1/operator/payments');
    expect(body['items']).toContainEqual(
      expect.objectContaining({
        payment_id: paymentId,
        quarantine_reason,
        topup_id: topupId,
        expected_minor: 50_000,
      }),
    );
  });

  it('is credited once by what was paid when an operator decides so, and the operator is recorded', async () => {
    const { buyer, link } = await waiting();
    await tell(paidEvent(link, { amount: 40_000, paymentId: 'pay_less' }));
    const path = '/v1/operator/payments/pay_less/resolve';
    const ruling = { decision: 'credit', reason: 'The bank kept its fee.' };
    expect((await call(buyer, 'POST', path, ruling)).status).toBe(403);
    const replies = await Promise.all([1, 2, 3].map(() => call(operator, 'POST', path, ruling)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await wallet(buyer)).toBe(40_000);
    const { rows } = await market.owner.query('SELECT * FROM operator_actions WHERE subject = $1', [
      'pay_less',
    ]);
    expect(rows).toMatchObject([
      { operator_user_id: operator.userId, action: 'payment.resolve', reason: ruling.reason },
    ]);
    expect(await tell(paidEvent(link, { amount: 40_000, paymentId: 'pay_less' }))).toBe(200);
    expect(await wallet(buyer)).toBe(40_000);
  });

  it('can be given back, and a second payment of a paid top-up is not credited by itself', async () => {
    const { buyer, link } = await waiting();
    await tell(paidEvent(link, { paymentId: 'pay_first' }));
    await tell(paidEvent(link, { paymentId: 'pay_second' }));
    expect(await wallet(buyer)).toBe(50_000);
    const ruling = { decision: 'return', reason: 'Paid twice; refunded at the provider.' };
    const { body } = await call(operator, 'POST', '/v1/operator/payments/pay_second/resolve', ruling);
    expect(body).toMatchObject({ state: 'resolved_returned', quarantine_reason: 'paid_twice' });
    expect(await wallet(buyer)).toBe(50_000);
  });

  it('without a known top-up needs an account to be credited to', async () => {
    const buyer = await register(market, 'buyer');
    const stranger = { id: 'plink_x', amount: 700, currency: 'INR', reference_id: 'shop-4711' };
    await tell(paidEvent(stranger, { paymentId: 'pay_stranger' }));
    const path = '/v1/operator/payments/pay_stranger/resolve';
    const ruling = { decision: 'credit', reason: 'A link made by hand.' };
    expect((await call(operator, 'POST', path, ruling)).status).toBe(422);
    expect((await call(operator, 'POST', path, { ...ruling, user_id: buyer.userId })).status).toBe(200);
    expect(await wallet(buyer)).toBe(700);
  });
});

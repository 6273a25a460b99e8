/**
 * One test for every payment provider that reports by events: whatever it sends, credits move once and for what was
 * paid.
 */
import { REPORTING_PROVIDERS } from '../../../src/domain/billing/payment';
import { request } from '../../support/catalogue/publishing';
import {
  balance,
  expectWholeLedger,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../../support/market';
import { type PaidOptions, PROVIDERS_OF_TEST, type TestProvider } from '../../support/billing/providers';

describe.each(REPORTING_PROVIDERS)('payments by %s', (name) => {
  let provider: TestProvider;
  let market: TestMarket;
  let operator: TestUser;
  let payments = 0;

  beforeAll(async () => {
    provider = await PROVIDERS_OF_TEST[name]();
    market = await startMarket({ operations: false, env: provider.env });
    operator = await register(market, 'buyer');
    await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
  });
  afterEach(() => expectWholeLedger(market));
  afterAll(async () => {
    await market.stop();
    await provider.stop();
  });

  async function send(body: string, headers = provider.sign(body)): Promise<number> {
    const response = await fetch(`${market.url}/v1/payments/${name}/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    await response.arrayBuffer();
    return response.status;
  }
  const wallet = (user: TestUser) => balance(market.owner, user.userId, 'wallet');
  const newPayment = () => `pay${name}${(payments += 1)}`;
  const topUp = async (buyer: TestUser, key?: string) => {
    const response = await fetch(`${market.url}/v1/billing/topup`, {
      method: 'POST',
      headers: {
        cookie: buyer.cookie,
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: JSON.stringify({ amountPaise: 50_000, currency: 'INR' }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  /** A buyer with a top-up of INR 500 that waits for its payment. */
  async function waiting() {
    const buyer = await register(market, 'buyer');
    const { body } = await topUp(buyer);
    return { buyer, topupId: String(body['topup_id']), paymentId: newPayment() };
  }
  /** A buyer who has paid 500 credits. */
  async function payer() {
    const made = await waiting();
    expect(await send(provider.paid(made.topupId, made))).toBe(200);
    return made;
  }
  const payment = async (id: string) =>
    (await request(market, operator, 'GET', `/v1/operator/payments/${id}`)).body as Record<string, unknown>;

  it('begin with a page to pay at, and credit when the provider reports the payment, with an invoice', async () => {
    const buyer = await register(market, 'buyer');
    const { status, body } = await topUp(buyer);
    expect([status, body['status'], body['credits']]).toEqual([201, 'pending', 500]);
    expect(body['payment_url']).toMatch(/^https:\/\//);
    expect(await send(provider.paid(String(body['topup_id']), { paymentId: newPayment() }))).toBe(200);
    expect(await wallet(buyer)).toBe(50_000);
    const invoices = await request(market, buyer, 'GET', '/v1/billing/invoices');
    expect(invoices.body).toMatchObject({ items: [{ status: 'paid', amount_minor: 50_000 }] });
  });

  it('begin once for one idempotency key, also when the first answer was lost', async () => {
    const buyer = await register(market, 'buyer');
    provider.failNext('forget');
    const lost = await topUp(buyer, 'key-1');
    expect([lost.status, lost.body['error']]).toMatchObject([503, { code: 'not_ready', retryable: true }]);
    const [again, other] = await Promise.all([topUp(buyer, 'key-1'), topUp(buyer, 'key-1')]);
    expect([again.status, other.status]).toEqual([201, 201]);
    expect(again.body['payment_url']).toBe(other.body['payment_url']);
    expect(provider.startedFor(String(again.body['topup_id']))).toBe(1);
  });

  it('do not show a payer what the provider said when it fails', async () => {
    provider.failNext(500);
    const { status, body } = await topUp(await register(market, 'buyer'));
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toMatch(provider.secretWords);
  });

  it('credit nothing by an event without the right signature, and credit by one under the secret before a rotation', async () => {
    const { buyer, topupId, paymentId } = await waiting();
    const body = provider.paid(topupId, { paymentId });
    for (const headers of [{}, provider.sign('{}'), provider.sign(body, 'guess')])
      expect(await send(body, headers)).toBe(401);
    expect(await wallet(buyer)).toBe(0);
    expect(await send(body, provider.sign(body, 'old-secret'))).toBe(200);
    expect(await wallet(buyer)).toBe(50_000);
  });

  it('credit once when events come twice, at once, and in several about one payment', async () => {
    const { buyer, topupId, paymentId } = await waiting();
    const body = provider.paid(topupId, { paymentId });
    const other = provider.paid(topupId, { paymentId });
    const sent = await Promise.all([body, other, body, other, body].map((one) => send(one)));
    expect(sent).toEqual([200, 200, 200, 200, 200]);
    expect(await wallet(buyer)).toBe(50_000);
  });

  it.each([
    ['of less', { amount: 40_000 }, 'amount_mismatch'],
    ['of another currency', { currency: 'USD' }, 'currency_mismatch'],
  ])('%s wait for an operator', async (_what, options: Partial<PaidOptions>, reason) => {
    const { buyer, topupId, paymentId } = await waiting();
    expect(await send(provider.paid(topupId, { paymentId, ...options }))).toBe(200);
    expect(await wallet(buyer)).toBe(0);
    expect(await payment(paymentId)).toMatchObject({
      provider: name,
      quarantine_reason: reason,
      topup_id: topupId,
    });
  });

  it('that come late, after their page was closed, wait for an operator, who credits what was paid', async () => {
    const { buyer, topupId, paymentId } = await waiting();
    expect(await send(provider.linkOver(topupId))).toBe(200);
    expect(await send(provider.paid(topupId, { paymentId, amount: 40_000 }))).toBe(200);
    expect(await payment(paymentId)).toMatchObject({ state: 'quarantined' });
    const ruling = { decision: 'credit', reason: 'The bank was slow.' };
    await request(market, operator, 'POST', `/v1/operator/payments/${paymentId}/resolve`, ruling);
    expect(await wallet(buyer)).toBe(40_000);
  });

  it('of other systems are answered with 200, kept, and credit nothing', async () => {
    const paymentId = newPayment();
    expect(await send(provider.foreign(paymentId))).toBe(200);
    const { rows } = await market.owner.query('SELECT FROM payment_events WHERE payment_id = $1', [
      paymentId,
    ]);
    expect(rows).toHaveLength(1);
    expect(await payment(paymentId)).toMatchObject({
      state: 'quarantined',
      quarantine_reason: 'unknown_topup',
    });
  });

  it('whose events lack what they need are refused, so that the provider sends them again', async () => {
    const { topupId } = await waiting();
    for (const body of provider.malformed(topupId)) expect([body, await send(body)]).toEqual([body, 422]);
    expect(await send('{')).toBe(400);
  });

  it('that are refunded lose their credits, in parts, once, and also when the refund comes first', async () => {
    const { buyer, paymentId } = await payer();
    const part = provider.refund({ paymentId, id: `re${paymentId}`, amount: 20_000, currency: 'INR' });
    await Promise.all([send(part), send(part)]);
    expect(await wallet(buyer)).toBe(30_000);
    const early = await waiting();
    const whole = { paymentId: early.paymentId, id: `re${early.paymentId}`, amount: 50_000, currency: 'INR' };
    expect(await send(provider.refund(whole))).toBe(200);
    expect(await send(provider.paid(early.topupId, early))).toBe(200);
    expect(await wallet(early.buyer)).toBe(0);
  });

  it('that a bank takes back lose their credits, and get them again when the case is won', async () => {
    const { buyer, paymentId } = await payer();
    const dispute = { paymentId, id: `du${paymentId}`, amount: 50_000, currency: 'INR' };
    expect(await send(provider.dispute('open', dispute))).toBe(200);
    expect(await wallet(buyer)).toBe(50_000);
    for (const step of ['take', 'open', 'take'] as const)
      expect(await send(provider.dispute(step, dispute))).toBe(200);
    expect(await wallet(buyer)).toBe(0);
    for (const step of ['return', 'take'] as const)
      expect(await send(provider.dispute(step, dispute))).toBe(200);
    expect(await wallet(buyer)).toBe(50_000);
  });

  it('are refunded at the provider once when an operator wants it, and the operator is recorded', async () => {
    const { buyer, paymentId } = await payer();
    const path = `/v1/operator/payments/${paymentId}/refund`;
    const wish = { amount_minor: 20_000, reason: 'Paid too much.' };
    expect((await request(market, buyer, 'POST', path, wish)).status).toBe(403);
    expect((await request(market, operator, 'POST', path, { ...wish, amount_minor: 50_001 })).status).toBe(
      422,
    );
    expect((await request(market, operator, 'POST', path, wish)).status).toBe(200);
    expect(provider.refunds()).toContainEqual({ paymentId, amount: 20_000 });
    expect(await wallet(buyer)).toBe(50_000);
    expect(
      await send(provider.refund({ paymentId, id: `rf${paymentId}`, amount: 20_000, currency: 'INR' })),
    ).toBe(200);
    expect(await wallet(buyer)).toBe(30_000);
    const { rows } = await market.owner.query(
      'SELECT action, reason FROM operator_actions WHERE subject = $1',
      [paymentId],
    );
    expect(rows.at(-1)).toEqual({ action: 'payment.refund', reason: wish.reason });
    provider.failNext(500);
    expect((await request(market, operator, 'POST', path, wish)).status).toBe(503);
  });
});

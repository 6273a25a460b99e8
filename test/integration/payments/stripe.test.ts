/**
 * What is particular to Stripe: chargebacks after payouts, saved methods, old signatures, and currencies by provider.
 */
import { mondayOf } from '../../../src/domain/payouts/payout';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { balance, expectWholeLedger, invoke, putLive, register, startMarket, type TestMarket, type TestUser } from '../../support/market'; // prettier-ignore
import { request } from '../../support/catalogue/publishing';
import { RAZORPAY, startRazorpay, type RazorpayServer } from '../../support/billing/razorpay';
import { DETAILS } from '../../support/payouts/payouts';
import {
  paidIntent,
  reversalObject,
  sendToMarket,
  signStripe,
  startStripe,
  stripeEnv,
  stripeEvent,
  type StripeServer,
} from '../../support/billing/stripe';

let market: TestMarket;
let stripe: StripeServer;
let razorpay: RazorpayServer;
let agent: TestAgent;
let operator: TestUser;

beforeAll(async () => {
  stripe = await startStripe('127.77.0.16');
  razorpay = await startRazorpay('127.77.0.20');
  agent = await startAgent();
  const env = {
    ...stripeEnv(stripe.url, 'razorpay:INR,stripe'),
    RAZORPAY_API_URL: razorpay.url,
    RAZORPAY_KEY_ID: RAZORPAY.keyId,
    RAZORPAY_KEY_SECRET: RAZORPAY.keySecret,
    RAZORPAY_WEBHOOK_SECRETS: RAZORPAY.webhookSecret,
    DISPUTE_WINDOW_MS: '0',
  };
  market = await startMarket({ operations: false, env });
  operator = await register(market, 'buyer');
  await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
});
afterEach(() => expectWholeLedger(market));
afterAll(async () => {
  await market.stop();
  await agent.stop();
  await stripe.stop();
  await razorpay.stop();
});

const wallet = (user: TestUser) => balance(market.owner, user.userId, 'wallet');
const send = (body: string, signature?: string) => sendToMarket(market.url, body, signature);

async function topUp(buyer: TestUser, body: object) {
  const answer = await request(market, buyer, 'POST', '/v1/billing/topup', body);
  return { status: answer.status, body: answer.body as Record<string, unknown> };
}

/** A buyer who has paid USD 10 by Stripe. */
async function payer(more: object = {}) {
  const buyer = await register(market, 'buyer');
  const { body } = await topUp(buyer, { amountPaise: 1_000, currency: 'USD', ...more });
  const session = stripe.sessions.find(({ client_reference_id: id }) => id === body['topup_id'])!;
  const intent = paidIntent(session);
  expect(await send(stripeEvent('payment_intent.succeeded', intent))).toBe(200);
  return { buyer, intent, session };
}

it('ends a chargeback weeks after the payout with a debt on record, and a whole ledger', async () => {
  const { buyer, intent } = await payer();
  const developer = await register(market, 'developer');
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 1_000 });
  const call = await invoke(market, buyer, agentId, { input: { text: 'hello' }, max_cost_credits: 1_000 });
  expect(call.status).toBe(200);
  const { payoutAccounts, payoutRuns } = market.container;
  await payoutAccounts.setMethod(developer.userId, 'upi', DETAILS.upi);
  const asOf = new Date(mondayOf(Date.now()) + 7 * 86_400_000);
  await payoutAccounts.loadRate({
    rate: '84',
    observedAt: new Date(),
    source: 'test',
    loadedBy: operator.userId,
  });
  const made = await payoutRuns.reserve({
    developerUserId: developer.userId,
    asOf: asOf.toISOString(),
    attempt: 0,
  });
  expect(made).toMatchObject({ status: 'pending' });
  await payoutRuns.writeFile({ method: 'upi', asOf: asOf.toISOString(), attempt: 0 });
  const file = `upi-${asOf.toISOString().slice(0, 10).replaceAll('-', '')}-0`;
  await payoutRuns.settleFile(file);
  const dispute = { paymentId: intent.id, id: 'du_late', amount: 1_000 };
  const object = reversalObject('dispute', { ...dispute, status: 'needs_response' });
  expect(await send(stripeEvent('charge.dispute.created', object))).toBe(200);
  expect(await send(stripeEvent('charge.dispute.funds_withdrawn', object))).toBe(200);
  expect(await send(stripeEvent('charge.dispute.closed', { ...object, status: 'lost' }))).toBe(200);
  const account = await request(market, operator, 'GET', `/v1/operator/accounts/${buyer.userId}`);
  expect(account.body).toMatchObject({ wallet_frozen: true, debt_credits: 1_000 });
  const { body } = await request(market, operator, 'GET', '/v1/operator/reversals?owed=true');
  expect(body).toMatchObject({
    items: [
      {
        reversal_id: 'du_late',
        provider: 'stripe',
        state: 'taken',
        reversed_credits: 1_000,
        owed_credits: 1_000,
      },
    ],
  });
});

it('gives credits of a refund back that fails, and takes nothing for an inquiry of a bank that ends', async () => {
  const { buyer, intent } = await payer();
  const refund = reversalObject('refund', {
    paymentId: intent.id,
    id: 're_failed',
    amount: 1_000,
    status: 'pending',
  });
  expect(await send(stripeEvent('refund.created', refund))).toBe(200);
  expect(await wallet(buyer)).toBe(0);
  expect(await send(stripeEvent('refund.failed', { ...refund, status: 'failed' }))).toBe(200);
  expect(await wallet(buyer)).toBe(100_000);
  const inquiry = reversalObject('dispute', {
    paymentId: intent.id,
    amount: 1_000,
    status: 'warning_needs_response',
  });
  expect(await send(stripeEvent('charge.dispute.created', inquiry))).toBe(200);
  expect(await send(stripeEvent('charge.dispute.closed', { ...inquiry, status: 'warning_closed' }))).toBe(
    200,
  );
  expect(await wallet(buyer)).toBe(100_000);
});

it('keeps events of other systems of the same account, and credits nothing', async () => {
  const foreign = { id: 'pi_foreign', amount_received: 700, currency: 'usd', metadata: {} };
  for (const type of [
    'payment_intent.succeeded',
    'payment_intent.payment_failed',
    'invoice.paid',
    'payout.paid',
  ])
    expect([type, await send(stripeEvent(type, foreign))]).toEqual([type, 200]);
  const { body } = await request(market, operator, 'GET', '/v1/operator/payments/pi_foreign');
  expect(body).toMatchObject({ error: { code: 'not_found' } });
  const { rows } = await market.owner.query(
    `SELECT type FROM payment_events WHERE provider = 'stripe' AND type IN ('invoice.paid', 'payout.paid')`,
  );
  expect(rows).toHaveLength(2);
});

it('refuses an event whose signature is older than five minutes', async () => {
  const body = stripeEvent('invoice.paid', { id: 'in_1' });
  expect(await send(body, signStripe(body, undefined, Date.now() - 400_000))).toBe(401);
  expect(await send(body, 'v1=nonsense')).toBe(401);
  expect(await send(body)).toBe(200);
});

it('takes rupees by one provider and dollars by another', async () => {
  const buyer = await register(market, 'buyer');
  const [before, links] = [stripe.sessions.length, razorpay.links.length];
  expect((await topUp(buyer, { amountPaise: 10_000, currency: 'INR' })).status).toBe(201);
  expect((await topUp(buyer, { amountPaise: 10_000, currency: 'USD' })).status).toBe(201);
  expect([stripe.sessions.length - before, razorpay.links.length - links]).toEqual([1, 1]);
});

describe('a payment method', () => {
  it('is saved by a payment, once, with a name that its payer knows, and deleted at Stripe too', async () => {
    const { buyer, intent, session } = await payer({ save_method: true });
    expect(session.setup_future_usage).toBe('off_session');
    expect(await send(stripeEvent('payment_intent.succeeded', intent))).toBe(200);
    const { body } = await request(market, buyer, 'GET', '/v1/billing/payment-methods');
    expect(body).toMatchObject({
      total: 1,
      items: [{ provider: 'stripe', label: 'visa •••• 4242', currency: 'USD' }],
    });
    const again = await topUp(buyer, { amountPaise: 1_000, currency: 'USD', save_method: true });
    expect(again.status).toBe(201);
    expect(stripe.sessions.at(-1)?.customer).toBe(intent.customer);
    const [method] = (body as { items: { method_id: string }[] }).items;
    const path = `/v1/billing/payment-methods/${method?.method_id}`;
    const end = ({ cookie }: TestUser) =>
      fetch(`${market.url}${path}`, { method: 'DELETE', headers: { cookie } });
    expect((await end(operator)).status).toBe(404);
    expect((await end(buyer)).status).toBe(204);
    expect(stripe.detached.has(intent.payment_method!)).toBe(true);
    expect((await request(market, buyer, 'GET', '/v1/billing/payment-methods')).body).toMatchObject({
      total: 0,
    });
  });

  it('is not saved unless the payer wants it, nor by a provider that saves none', async () => {
    const { buyer } = await payer();
    expect((await request(market, buyer, 'GET', '/v1/billing/payment-methods')).body).toMatchObject({
      total: 0,
    });
    const { status, body } = await topUp(buyer, { amountPaise: 10_000, currency: 'INR', save_method: true });
    expect([status, body]).toMatchObject([422, { detail: [{ loc: ['body', 'save_method'] }] }]);
  });

  it('is saved without a name when Stripe does not answer', async () => {
    const buyer = await register(market, 'buyer');
    await topUp(buyer, { amountPaise: 1_000, currency: 'USD', save_method: true });
    stripe.failNext(500);
    expect(await send(stripeEvent('payment_intent.succeeded', paidIntent(stripe.sessions.at(-1)!)))).toBe(
      200,
    );
    const { body } = await request(market, buyer, 'GET', '/v1/billing/payment-methods');
    expect(body).toMatchObject({ items: [{ label: 'Payment method' }] });
  });
});

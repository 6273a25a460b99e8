/** Money that a payment provider takes back: the credits go with it, from the wallet first, then as a debt. */
import { checkLedger, formatReport } from '../../../src/services/ledger/ledger-check';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { moveBack, sealerOf } from '../../support/ledger/digests';
import {
  balance,
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  startMarket,
  topUp,
  type TestMarket,
  type TestUser,
} from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import {
  disputeEvent,
  paidEvent,
  RAZORPAY,
  refundEvent,
  signRazorpay,
  startRazorpay,
  type RazorpayServer,
} from '../../support/billing/razorpay';

let market: TestMarket;
let provider: RazorpayServer;
let agent: TestAgent;
let operator: TestUser;
let developer: TestUser;
/** An agent at 400 credits a call. */
let agentId: string;

beforeAll(async () => {
  provider = await startRazorpay('127.77.0.15');
  agent = await startAgent();
  const env = {
    PAYMENT_PROVIDER: 'razorpay',
    RAZORPAY_API_URL: provider.url,
    RAZORPAY_KEY_ID: RAZORPAY.keyId,
    RAZORPAY_KEY_SECRET: RAZORPAY.keySecret,
    RAZORPAY_WEBHOOK_SECRETS: RAZORPAY.webhookSecret,
  };
  market = await startMarket({ operations: false, env });
  operator = await register(market, 'buyer');
  await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
  developer = await register(market, 'developer');
  agentId = (await putLive(market, developer.userId, agent.url, { credits: 400 })).agentId;
  await topUp(market.owner, developer.userId, 1);
  await moveBack(market, 2);
  await sealerOf({ app: market.container.pool }, { sealing: market.container.cipher })();
  await market.owner.query(`SELECT ledger_prove((now() AT TIME ZONE 'UTC')::date - 1, true)`);
});
afterEach(async () => {
  await expectWholeLedger(market);
  const report = await checkLedger(market.container.pool, { incremental: true, prove: false });
  if (!report.ok || report.since === null) throw new Error(formatReport(report));
});
afterAll(async () => {
  await market.stop();
  await agent.stop();
  await provider.stop();
});

async function report(body: string): Promise<void> {
  const response = await fetch(`${market.url}/v1/payments/razorpay/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-razorpay-signature': signRazorpay(body) },
    body,
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
}

const wallet = (user: TestUser) => balance(market.owner, user.userId, 'wallet');
const account = async (user: TestUser) =>
  (await request(market, operator, 'GET', `/v1/operator/accounts/${user.userId}`)).body;
const call = (user: TestUser) =>
  invoke(market, user, agentId, { input: { text: 'hello' }, max_cost_credits: 400 });
let payments = 0;

/** A link for a top-up of a buyer that waits for its payment. */
async function link(buyer: TestUser, amount = 50_000, currency = 'INR') {
  const topup = { amountPaise: amount, currency };
  const { body } = await request(market, buyer, 'POST', '/v1/billing/topup', topup);
  const made = provider.links.find(({ reference_id: id }) => id === (body as { topup_id?: string }).topup_id);
  if (!made) throw new Error(JSON.stringify(body));
  return { made, paymentId: `pay_reversal${(payments += 1)}` };
}

/** A buyer who has paid 500 credits. */
async function payer(amount?: number, currency?: string) {
  const buyer = await register(market, 'buyer');
  const { made, paymentId } = await link(buyer, amount, currency);
  await report(paidEvent(made, { paymentId }));
  return { buyer, paymentId };
}

async function reversals(query = ''): Promise<Record<string, unknown>[]> {
  const { body } = await request(market, operator, 'GET', `/v1/operator/reversals${query}`);
  return (body as { items: Record<string, unknown>[] }).items;
}

describe('a refund', () => {
  it('takes the credits from the wallet, once, and the payer sees why', async () => {
    const { buyer, paymentId } = await payer();
    const body = refundEvent({ paymentId, id: 'rfnd_full', amount: 50_000 });
    await Promise.all([report(body), report(body), report(`${body} `)]);
    expect(await wallet(buyer)).toBe(0);
    const { body: ledger } = await request(market, buyer, 'GET', '/v1/billing/ledger');
    expect((ledger as { items: unknown[] }).items[0]).toMatchObject({
      entry_type: 'topup_reversal',
      credits: -500,
      balance_after_credits: 0,
      description: `Refund of payment ${paymentId}`,
    });
    expect(await account(buyer)).toMatchObject({ wallet_frozen: false, debt_credits: 0 });
  });

  it('of spent credits leaves a debt and freezes the wallet, until top-ups have paid it', async () => {
    const { buyer, paymentId } = await payer();
    expect((await call(buyer)).status).toBe(200);
    await report(refundEvent({ paymentId, id: 'rfnd_spent', amount: 50_000 }));
    expect(await wallet(buyer)).toBe(0);
    expect(await account(buyer)).toMatchObject({ wallet_frozen: true, debt_credits: 400 });
    expect(await reversals('?owed=true')).toMatchObject([
      { reversal_id: 'rfnd_spent', state: 'taken', reversed_credits: 500, owed_credits: 400 },
    ]);
    const first = await link(buyer, 30_000);
    await report(paidEvent(first.made, first));
    expect(await wallet(buyer)).toBe(0);
    expect(await account(buyer)).toMatchObject({ wallet_frozen: true, debt_credits: 100 });
    expect((await call(buyer)).body).toMatchObject({ error: { code: 'forbidden' } });
    const second = await link(buyer, 60_000);
    await report(paidEvent(second.made, second));
    expect(await wallet(buyer)).toBe(50_000);
    expect(await account(buyer)).toMatchObject({ wallet_frozen: false, debt_credits: 0 });
    expect((await call(buyer)).status).toBe(200);
    const { body } = await request(market, buyer, 'GET', '/v1/billing/ledger?entry_type=topup_reversal');
    expect((body as { items: unknown[] }).items).toMatchObject([
      { credits: -100, description: `Debt paid: refund of payment ${paymentId}` },
      { credits: -300 },
      { credits: -100, description: `Refund of payment ${paymentId}` },
    ]);
  });

  it('leaves the freeze of an operator as it is, and an operator cannot lift that of a debt', async () => {
    const { buyer, paymentId } = await payer();
    expect((await call(buyer)).status).toBe(200);
    await report(refundEvent({ paymentId, amount: 50_000 }));
    expect(await account(buyer)).toMatchObject({ wallet_frozen: true, debt_credits: 400 });
    const act = (verb: string) =>
      request(market, operator, 'POST', `/v1/operator/accounts/${buyer.userId}/${verb}`, { reason: 'Why.' });
    expect((await act('unfreeze')).status).toBe(409);
    expect((await act('freeze')).status).toBe(200);
    const { made, paymentId: later } = await link(buyer);
    await report(paidEvent(made, { paymentId: later }));
    expect(await account(buyer)).toMatchObject({ wallet_frozen: true, debt_credits: 0 });
    expect((await act('unfreeze')).body).toMatchObject({ wallet_frozen: false });
  });

  it('in parts takes each part, and never more than was credited', async () => {
    const { buyer, paymentId } = await payer(20_000, 'USD');
    await report(refundEvent({ paymentId, amount: 5_000, currency: 'USD' }));
    expect(await wallet(buyer)).toBe(1_500_000);
    await report(refundEvent({ paymentId, amount: 15_000, currency: 'USD' }));
    expect(await wallet(buyer)).toBe(0);
    await report(refundEvent({ paymentId, amount: 15_000, currency: 'USD' }));
    expect(await account(buyer)).toMatchObject({ wallet_frozen: false, debt_credits: 0 });
  });

  it('waits for its payment, and for the decision about one in quarantine', async () => {
    const buyer = await register(market, 'buyer');
    const early = await link(buyer);
    await report(refundEvent({ paymentId: early.paymentId, id: 'rfnd_early', amount: 20_000 }));
    expect((await reversals()).find(({ reversal_id: id }) => id === 'rfnd_early')).toMatchObject({
      state: 'waiting',
    });
    await report(paidEvent(early.made, early));
    expect(await wallet(buyer)).toBe(30_000);
    const odd = await link(buyer);
    await report(paidEvent(odd.made, { paymentId: odd.paymentId, amount: 40_000 }));
    await report(refundEvent({ paymentId: odd.paymentId, amount: 10_000 }));
    expect(await wallet(buyer)).toBe(30_000);
    const ruling = { decision: 'credit', reason: 'Paid less.' };
    await request(market, operator, 'POST', `/v1/operator/payments/${odd.paymentId}/resolve`, ruling);
    expect(await wallet(buyer)).toBe(60_000);
  });

  it('that comes together with its payment and its repetitions is taken once', async () => {
    const buyer = await register(market, 'buyer');
    const { made, paymentId } = await link(buyer);
    const refund = refundEvent({ paymentId, id: 'rfnd_race', amount: 50_000 });
    const paid = paidEvent(made, { paymentId });
    await Promise.all([refund, paid, `${refund} `, `${paid} `, refund, paid].map(report));
    expect(await wallet(buyer)).toBe(0);
    expect(await account(buyer)).toMatchObject({ debt_credits: 0 });
  });
});

it('makes a refund that comes while its payment is being credited wait for the payment', async () => {
  const buyer = await register(market, 'buyer');
  const { made, paymentId } = await link(buyer);
  await market.owner.query('BEGIN');
  await market.owner.query(
    `SELECT payment_record('razorpay', $1, 'payment_link.paid', $1, $2, 50000, 'INR')`,
    [paymentId, made.reference_id],
  );
  const reported = report(refundEvent({ paymentId, amount: 50_000 }));
  const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  await eventually(async () => (await market.container.pool.query(waiting)).rows.length > 0, 3_000).finally(
    () => market.owner.query('COMMIT'),
  );
  await reported;
  expect(await wallet(buyer)).toBe(0);
});

describe('a chargeback', () => {
  it('takes nothing while it is open, the deducted amount when it is lost, and gives it back when it is won', async () => {
    const { buyer, paymentId } = await payer();
    const dispute = { paymentId, id: 'disp_lost', amount: 50_000 };
    await report(disputeEvent('created', dispute));
    await report(disputeEvent('under_review', dispute));
    expect((await call(buyer)).status).toBe(200);
    await report(disputeEvent('lost', { ...dispute, deducted: 45_000 }));
    expect(await wallet(buyer)).toBe(0);
    expect(await account(buyer)).toMatchObject({ wallet_frozen: true, debt_credits: 350 });
    await report(disputeEvent('closed', dispute));
    await report(disputeEvent('won', dispute));
    expect(await wallet(buyer)).toBe(10_000);
    expect(await account(buyer)).toMatchObject({ wallet_frozen: false, debt_credits: 0 });
    await report(disputeEvent('lost', { ...dispute, deducted: 1 }));
    expect(await wallet(buyer)).toBe(10_000);
  });

  it('ends the same in whatever order its events come', async () => {
    const { buyer, paymentId } = await payer();
    const dispute = { paymentId, id: 'disp_order', amount: 20_000 };
    for (const step of ['closed', 'lost', 'created', 'closed', 'lost'] as const) {
      await report(disputeEvent(step, dispute));
    }
    expect(await wallet(buyer)).toBe(30_000);
    await report(disputeEvent('won', { paymentId, id: 'disp_won', amount: 20_000 }));
    await report(disputeEvent('lost', { paymentId, id: 'disp_won', amount: 20_000 }));
    expect(await wallet(buyer)).toBe(30_000);
  });

  it('that is won pays the other debts of its payer first', async () => {
    const { buyer, paymentId } = await payer();
    expect((await call(buyer)).status).toBe(200);
    await report(disputeEvent('lost', { paymentId, id: 'disp_first', amount: 10_000 }));
    await report(refundEvent({ paymentId, amount: 5_000 }));
    expect(await account(buyer)).toMatchObject({ wallet_frozen: true, debt_credits: 50 });
    await report(disputeEvent('won', { paymentId, id: 'disp_first', amount: 10_000 }));
    expect(await wallet(buyer)).toBe(5_000);
    expect(await account(buyer)).toMatchObject({ wallet_frozen: false, debt_credits: 0 });
  });
});

it('refuses malformed reports, and only an operator reads the list', async () => {
  const { buyer, paymentId } = await payer();
  const wrong = [
    refundEvent({ paymentId, id: 'rfnd/../x', amount: 1 }),
    refundEvent({ paymentId, amount: -1 }),
    refundEvent({ paymentId, amount: 1.5 }),
  ];
  for (const body of wrong) await expect(report(body)).rejects.toThrow(/^422/);
  expect((await request(market, buyer, 'GET', '/v1/operator/reversals')).status).toBe(403);
  expect(await wallet(buyer)).toBe(50_000);
});

it('is found by the ledger check when a debt was reduced by hand', async () => {
  const { buyer, paymentId } = await payer();
  expect((await call(buyer)).status).toBe(200);
  await report(refundEvent({ paymentId, id: 'rfnd_forged', amount: 50_000 }));
  const owe = (units: number) =>
    market.owner.query(`UPDATE payment_reversals SET owed_units = $1 WHERE reversal_id = 'rfnd_forged'`, [
      units,
    ]);
  await owe(0);
  for (const incremental of [false, true]) {
    const { proofs } = await checkLedger(market.container.pool, { incremental, prove: false });
    expect(proofs.filter(({ total }) => total > 0).map(({ name }) => name)).toEqual(['reversals']);
  }
  await owe(40_000);
});

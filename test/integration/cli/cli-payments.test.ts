/** `market` where money comes in: saved payment methods, automatic top-ups, refunds, and payments by x402. */
import { registerOperator } from '../../support/disputes/disputes';
import { marketCommand, type MarketCommand } from '../../support/cli/market-command';
import {
  paidIntent,
  reversalObject,
  sendToMarket,
  startStripe,
  stripeEnv,
  stripeEvent,
  type StripeServer,
} from '../../support/billing/stripe';
import {
  balance,
  expectWholeLedger,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../../support/market';
import { payByX402 } from '../../support/x402/movements';

jest.setTimeout(120_000);

interface Person extends TestUser {
  command: MarketCommand;
}

let market: TestMarket;
let stripe: StripeServer;
let buyer: Person;
let operator: Person;

beforeAll(async () => {
  stripe = await startStripe('127.77.0.18');
  market = await startMarket({ operations: false, env: stripeEnv(stripe.url) });
  [buyer, operator] = await Promise.all([
    loggedIn(register(market, 'buyer')),
    loggedIn(registerOperator(market)),
  ]);
});
afterEach(() => expectWholeLedger(market));
afterAll(async () => {
  for (const { command } of [buyer, operator]) command.remove();
  await market.stop();
  await stripe.stop();
});

async function loggedIn(registered: Promise<TestUser>): Promise<Person> {
  const user = await registered;
  const command = marketCommand(market.url);
  const login = ['login', '--email', user.email, '--password-stdin'];
  expect(await command.run(login, { input: 'correct horse battery\n' })).toMatchObject({ code: 0 });
  return { ...user, command };
}

async function ok({ command }: Person, args: string[]): Promise<string> {
  const { code, stdout, stderr } = await command.run(args);
  if (code !== 0) throw new Error(`market ${args.join(' ')}: ${code} ${stderr}`);
  return stdout;
}
const json = async <T>(person: Person, args: string[]) =>
  JSON.parse(await ok(person, [...args, '--json'])) as T;

/** Pays the newest page, and returns the id of its payment. */
async function payPage(): Promise<string> {
  const session = stripe.sessions.at(-1);
  if (!session) throw new Error('no page was made');
  const intent = paidIntent(session);
  expect(await sendToMarket(market.url, stripeEvent('payment_intent.succeeded', intent))).toBe(200);
  return intent.id;
}

const SET = ['--below', '500', '--buy', '300', '--max-per-day', '2', '--max-per-month', '1000'];

it('needs a saved method for automatic top-ups, and says so', async () => {
  expect(await ok(buyer, ['auto-topup', 'show'])).toContain('Automatic top-ups are off.');
  const { code, stderr } = await buyer.command.run(['auto-topup', 'set', ...SET]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('no saved payment method')]);
});

it('saves a method by a top-up, sets automatic top-ups with it, and shows what they bought', async () => {
  const topup = await json<{ status: string; payment_url: string }>(buyer, [
    'topup',
    '2',
    '--currency',
    'USD',
    '--save-method',
  ]);
  expect(topup).toMatchObject({ status: 'pending', payment_url: expect.stringMatching(/^https:/) as string });
  await payPage();
  expect(await ok(buyer, ['payment-methods', 'list'])).toMatch(/svm_[0-9a-f]{32} .*visa •••• 4242/);
  expect(await ok(buyer, ['auto-topup', 'set', ...SET])).toContain('Below 500 credits, buy 300 credits');
  await market.container.autoTopups.run();
  const intent = stripe.intents.at(-1);
  expect(intent).toMatchObject({ amount: 300, currency: 'usd' });
  expect(await sendToMarket(market.url, stripeEvent('payment_intent.succeeded', intent ?? {}))).toBe(200);
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(50_000);
  expect(await ok(buyer, ['auto-topup', 'show'])).toContain('1 today, 300 credits this month');
});

it('turns automatic top-ups off, and deletes the method', async () => {
  expect(await ok(buyer, ['auto-topup', 'off'])).toContain('Automatic top-ups are off.');
  const { items } = await json<{ items: { method_id: string }[] }>(buyer, ['payment-methods', 'list']);
  const [{ method_id: methodId } = { method_id: '' }] = items;
  expect(await ok(buyer, ['payment-methods', 'delete', methodId])).toBe(`Deleted ${methodId}.\n`);
  expect(await json(buyer, ['payment-methods', 'list'])).toMatchObject({ items: [] });
  expect(stripe.detached.size).toBe(1);
  expect((await buyer.command.run(['payment-methods', 'delete', methodId])).code).not.toBe(0);
});

it('refunds a part of a payment, once for a key, and the event takes the credits', async () => {
  await ok(buyer, ['topup', '10', '--currency', 'USD']);
  const paymentId = await payPage();
  const before = await balance(market.owner, buyer.userId, 'wallet');
  const refund = ['payments', 'refund', paymentId, '--amount', '4', '--reason', 'Paid too much.'];
  for (const _time of ['first', 'again'])
    expect(await ok(operator, [...refund, '--idempotency-key', 'one'])).toContain(paymentId);
  expect(new Set(stripe.refunds.map(({ id }) => id)).size).toBe(1);
  expect(stripe.refunds).toMatchObject([{ payment_intent: paymentId, amount: 400 }]);
  const event = stripeEvent('refund.created', reversalObject('refund', { paymentId, amount: 400 }));
  expect(await sendToMarket(market.url, event)).toBe(200);
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(before - 40_000);
  expect(await ok(operator, ['payments', 'reversals'])).toMatch(/refund +taken .*4\.00 USD/);
  expect((await buyer.command.run(refund)).code).not.toBe(0);
});

it('lists payments by x402 by state, address and day, and shows one', async () => {
  await payByX402(market.container.pool, buyer.userId, 500, true);
  await payByX402(market.container.pool, buyer.userId, 700, false);
  const address = `0x${'12'.repeat(20)}`;
  const day = new Date().toISOString().slice(0, 10);
  const settled = await json<{ items: { payment_id: string }[] }>(operator, [
    'x402-payments',
    'list',
    '--state',
    'settled',
    '--address',
    address,
    '--day',
    day,
  ]);
  expect(settled.items).toMatchObject([{ state: 'settled', credits: 5, payer: address }]);
  const table = await ok(operator, ['x402-payments', 'list']);
  expect(table).toMatch(/released +call_ended +7\.00/);
  const id = settled.items[0]?.payment_id ?? '';
  expect(await ok(operator, ['x402-payments', 'show', id])).toContain(id);
  expect((await buyer.command.run(['x402-payments', 'list'])).code).not.toBe(0);
});

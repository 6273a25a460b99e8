/**
 * kill -9 between the money of a payment and the credits for it: of the API process and the worker while a payment by
 * x402 is on the chain and its call is not charged yet, and of both while an automatic top-up is paid and not credited.
 * No payment is lost, none counts twice, and the ledger stays whole.
 */
import { APP_ROLE, OWNER_ROLE } from '../../src/runtime/postgres/database';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import {
  paidIntent,
  sendToMarket,
  startStripe,
  stripeEnv,
  stripeEvent,
  type StripeServer,
} from '../support/billing/stripe';
import { request } from '../support/catalogue/publishing';
import { expectStackLedger, openCalls } from '../support/crash/books';
import { balance, putLive, register, type TestUser } from '../support/market';
import {
  type ProcessStack,
  type ServiceProcess,
  startProcessStack,
  untilServing,
} from '../support/stack/process-stack';
import { testPool } from '../support/stack/pool';
import { NETWORK, startChain, type UsdcChain } from '../support/usdc/chain';
import { startFacilitator, type TestFacilitator } from '../support/usdc/facilitator';
import { eventually } from '../support/waits';
import { callOf, newPayer, paidWith, type Payer, receiptOf, x402Settings } from '../support/x402/paying';

jest.setTimeout(240_000);
/** An open call heals when its lease has ended: the timeout of the agent and 30 s. */
const HEAL_MS = 90_000;
const INPUT = { text: 'hello' };
const PRICE = 100_000n;

let stack: ProcessStack;
let api: ServiceProcess;
let worker: ServiceProcess;
let chain: UsdcChain;
let facilitator: TestFacilitator;
let stripe: StripeServer;
let agent: TestAgent;
let developer: TestUser;
let url: string;

beforeAll(async () => {
  chain = await startChain('127.77.0.11');
  facilitator = await startFacilitator(chain, '127.77.0.12');
  stripe = await startStripe('127.77.0.13');
  stack = await startProcessStack();
  const env = { ...x402Settings(chain, facilitator), X402_SETTLE_SECONDS: '20', ...stripeEnv(stripe.url) };
  api = await stack.addProcess('api', { env });
  worker = await stack.addProcess('worker', { env });
  await untilServing(api);
  agent = await startAgent({ host: '127.77.0.14' });
  developer = await register(market(), 'developer');
  const { agentId } = await putLive(market(), developer.userId, agent.url, { credits: 10, timeoutMs: 3_000 });
  url = `${api.url}/v1/agents/${agentId}/invoke`;
}, 180_000);
afterEach(() => expectStackLedger(stack));
afterAll(async () => {
  await stack.stop();
  await agent.stop();
  await stripe.stop();
  await facilitator.stop();
  await chain.stop();
});

const market = () => ({ url: api.url, owner: stack.owner, container: stack.container as never });

/** Kills both processes at once, and starts them again. */
async function killBoth(between: () => Promise<void> = async () => undefined): Promise<void> {
  await Promise.all([api.kill('SIGKILL'), worker.kill('SIGKILL')]);
  await between();
  await Promise.all([api.start(), worker.start()]);
  await untilServing(api);
}

/** Keeps every movement of an account waiting until the returned function is called. */
async function lockAccounts(email: string): Promise<() => Promise<void>> {
  const url = stack.environment()['DATABASE_URL']?.replace(`//${APP_ROLE}:`, `//${OWNER_ROLE}:`);
  const pool = testPool(url, { max: 1 });
  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query(
    'SELECT FROM accounts a JOIN users u USING (user_id) WHERE u.email = $1 FOR UPDATE OF a',
    [email],
  );
  return async () => {
    await client.query('ROLLBACK');
    client.release();
    await pool.end();
  };
}

const settlements = () => facilitator.calls.filter((path) => path === '/settle').length;

describe('a payment by x402 whose process is killed', () => {
  async function walletOf({ address }: Payer): Promise<number> {
    const { rows } = await stack.owner.query<{ id: string }>(
      'SELECT user_id AS id FROM users WHERE email = $1',
      [`${NETWORK}:${address.toLowerCase()}`],
    );
    return balance(stack.owner, rows[0]?.id ?? '', 'wallet');
  }

  async function stateOf({ address }: Payer): Promise<string | undefined> {
    const { rows } = await stack.owner.query<{ state: string }>(
      'SELECT state FROM x402_payments WHERE payer = $1',
      [address.toLowerCase()],
    );
    return rows[0]?.state;
  }

  const chargesOf = async ({ address }: Payer) => {
    const { rows } = await stack.owner.query<{ charged: number }>(
      `SELECT i.charged_units::float8 AS charged FROM invocations i JOIN users u ON u.user_id = i.buyer_user_id
        WHERE u.email = $1 AND i.status = 'succeeded'`,
      [`${NETWORK}:${address.toLowerCase()}`],
    );
    return rows.map(({ charged }) => charged);
  };

  /** After the kill: the payment arrived, its call ended, and sent again it buys one call, however often. */
  async function expectOneCall(payer: Payer, payment: unknown, asked: number): Promise<void> {
    await eventually(async () => (await openCalls(stack)) === 0, HEAL_MS);
    await eventually(async () => (await stateOf(payer)) === 'settled', HEAL_MS);
    const [charged = 0] = await chargesOf(payer);
    expect((await walletOf(payer)) + charged).toBe(1_000);
    for (const _time of ['first', 'second']) {
      const again = await fetch(url, callOf(INPUT, paidWith(payment)));
      expect([again.status, receiptOf(again)?.success]).toEqual([200, true]);
    }
    expect(await chargesOf(payer)).toEqual([1_000]);
    expect(await walletOf(payer)).toBe(0);
    expect(await chain.balanceOf(payer.address)).toBe(0n);
    expect(settlements() - asked).toBe(1);
  }

  it('after the chain has it and before the service knows', async () => {
    const payer = await newPayer(chain, PRICE);
    const payment = await payer.sign(await fetch(url, callOf(INPUT)));
    const asked = settlements();
    facilitator.conduct = 'dies after settling';
    facilitator.answers = (path) => {
      // The process that waits does not see the chain.
      if (path === '/settle') chain.rpc.answers = () => false;
      return true;
    };
    const answer = fetch(url, callOf(INPUT, paidWith(payment))).catch(() => undefined);
    await eventually(async () => (await chain.balanceOf(payer.address)) === 0n, 20_000);
    expect(await stateOf(payer)).toBe('held');
    await killBoth(async () => {
      facilitator.answers = () => true;
      chain.rpc.answers = () => true;
      facilitator.conduct = 'settles';
    });
    expect(await answer).toBeUndefined();
    await expectOneCall(payer, payment, asked);
  });

  it('after the service knows and before the call is charged', async () => {
    const payer = await newPayer(chain, PRICE);
    const payment = await payer.sign(await fetch(url, callOf(INPUT)));
    const asked = settlements();
    facilitator.answers = (path) => path !== '/settle';
    const answer = fetch(url, callOf(INPUT, paidWith(payment))).catch(() => undefined);
    await eventually(async () => settlements() > asked, 20_000);
    // The charge waits for the wallet of its payer.
    const release = await lockAccounts(`${NETWORK}:${payer.address.toLowerCase()}`);
    facilitator.answers = () => true;
    await facilitator.use(payment);
    await eventually(async () => (await stateOf(payer)) === 'settled', 20_000);
    await killBoth(release);
    expect(await answer).toBeUndefined();
    await expectOneCall(payer, payment, asked);
  });
});

describe('an automatic top-up whose process is killed', () => {
  const auto = {
    below_credits: 500,
    buy_credits: 300,
    max_per_day: 1,
    max_per_month: 1_000,
  };

  /** A buyer with 100 credits and a saved method. */
  async function saver(): Promise<TestUser> {
    const buyer = await register(market(), 'buyer');
    const wish = { amountPaise: 100, currency: 'USD', save_method: true };
    await request(market(), buyer, 'POST', '/v1/billing/topup', wish);
    const session = stripe.sessions.at(-1);
    if (!session) throw new Error('no session was opened');
    const event = stripeEvent('payment_intent.succeeded', paidIntent(session));
    expect(await sendToMarket(api.url, event)).toBe(200);
    return buyer;
  }

  it('after the payment and before its answer, and again while its event is written, pays and credits once', async () => {
    const buyer = await saver();
    stripe.failNext('late');
    expect((await request(market(), buyer, 'PUT', '/v1/billing/auto-topup', auto)).status).toBe(200);
    await eventually(async () => stripe.intents.length === 1, 30_000);
    await worker.kill('SIGKILL');
    await worker.start();
    const requests = () => stripe.calls.filter((call) => call === 'POST /v1/payment_intents').length;
    // The lease of the dead process ends.
    await stack.owner.query(`UPDATE topups SET lease_until = now() WHERE user_id = $1 AND automatic`, [
      buyer.userId,
    ]);
    await eventually(async () => requests() === 2, 30_000);
    expect(stripe.intents).toHaveLength(1);

    const event = stripeEvent('payment_intent.succeeded', stripe.intents[0] ?? {});
    const release = await lockAccounts(buyer.email);
    const reported = sendToMarket(api.url, event).catch(() => 0);
    const waits = async () => {
      const { rows } = await stack.owner.query<{ waits: string }>(
        'SELECT count(*) AS waits FROM pg_locks WHERE NOT granted',
      );
      return Number(rows[0]?.waits) > 0;
    };
    await eventually(waits, 20_000);
    await killBoth(release);
    expect(await reported).toBe(0);
    // Stripe sends an event again until it is answered, and sometimes twice at once.
    const statuses = await Promise.all([sendToMarket(api.url, event), sendToMarket(api.url, event)]);
    expect(statuses).toEqual([200, 200]);
    expect(await balance(stack.owner, buyer.userId, 'wallet')).toBe(40_000);
    const { rows } = await stack.owner.query<{ status: string; units: number }>(
      `SELECT status, amount_units::float8 AS units FROM topups WHERE user_id = $1 AND automatic`,
      [buyer.userId],
    );
    expect(rows).toEqual([{ status: 'succeeded', units: 30_000 }]);
    expect(stripe.intents).toHaveLength(1);
  });
});

/**
 * What a paying address does with its credits, by statements that it signs: reads, spends, disputes, has them sent
 * back.
 */
import { createSiweMessage } from 'viem/siwe';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import {
  balance,
  expectWholeLedger,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../../support/market';
import { eventually } from '../../support/waits';
import { NETWORK, startChain, type UsdcChain } from '../../support/usdc/chain';
import { startFacilitator, type TestFacilitator } from '../../support/usdc/facilitator';
import { usdcSettings } from '../../support/usdc/scene';
import { callOf, newPayer, paidWith, type Payer, receiptOf, x402Settings } from '../../support/x402/paying';

let chain: UsdcChain;
let facilitator: TestFacilitator;
let market: TestMarket;
let developer: TestUser;
let agent: TestAgent;
let metered: string;
const INPUT = { text: 'hello' };

beforeAll(async () => {
  chain = await startChain('127.77.0.15');
  facilitator = await startFacilitator(chain, '127.77.0.16');
  market = await startMarket({
    env: { ...usdcSettings(chain, facilitator), ...x402Settings(chain, facilitator) },
  });
  developer = await register(market, 'developer');
  agent = await startAgent();
  const pricing = { model: 'per_token', credits_per_1k_tokens: '1', max_credits_per_call: 20 } as const;
  metered = invokePath((await putLive(market, developer.userId, agent.url, { pricing })).agentId);
  await chain.mint(chain.treasury.address, 100_000_000n);
}, 120_000);

afterEach(async () => {
  facilitator.conduct = 'settles';
  await expectWholeLedger(market);
});

afterAll(async () => {
  await agent?.stop();
  await market?.stop();
  await facilitator?.stop();
  await chain?.stop();
});

const invokePath = (agentId: string) => `/v1/agents/${agentId}/invoke`;
let nonces = 0;

interface Statement {
  nonce?: string;
  lifeMs?: number;
  domain?: string;
  /** Another address than that of the signer. */
  address?: string;
}

/** The header of a statement that the payer signs for a path. */
async function statement(
  payer: Payer,
  path: string,
  options: Statement = {},
): Promise<Record<string, string>> {
  const origin = new URL(market.config.PUBLIC_ORIGIN);
  const issuedAt = new Date();
  const expirationTime = new Date(issuedAt.getTime() + (options.lifeMs ?? 300_000));
  const fields = {
    domain: options.domain ?? origin.host,
    uri: `${origin.origin}${path}`,
    address: options.address ?? payer.address,
    version: '1' as const,
    nonce: options.nonce ?? `nonce${Date.now()}${nonces++}`,
    statement: 'Use my credits',
  };
  const message = createSiweMessage({
    ...fields,
    address: fields.address as `0x${string}`,
    chainId: 84_532,
    issuedAt,
    expirationTime,
  });
  const proof = {
    ...fields,
    chainId: NETWORK,
    type: 'eip191',
    issuedAt: issuedAt.toISOString(),
    expirationTime: expirationTime.toISOString(),
    signature: await payer.account.signMessage({ message }),
  };
  return { 'sign-in-with-x': Buffer.from(JSON.stringify(proof)).toString('base64') };
}

interface Account {
  user_id: string;
  credits: number;
  refunds: { refund_id: string; status: string; credits: number; transaction: string | null }[];
}

async function account(payer: Payer): Promise<Account> {
  const path = '/v1/x402/account';
  const answer = await fetch(`${market.url}${path}`, { headers: await statement(payer, path) });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Account;
}

/** A payer whom a metered call left 19 credits. */
async function withCredits(): Promise<Payer> {
  const payer = await newPayer(chain, 200_000n);
  expect((await payer.fetch(`${market.url}${metered}`, callOf(INPUT))).status).toBe(200);
  return payer;
}

async function refund(payer: Payer, body: object = {}) {
  const path = '/v1/x402/refunds';
  const headers = { 'content-type': 'application/json', ...(await statement(payer, path)) };
  return fetch(`${market.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Lets the loop, here or in the worker, look until every refund has ended. */
async function turns(): Promise<void> {
  await eventually(async () => {
    await market.owner.query('UPDATE x402_refunds SET due_at = now() WHERE ended_at IS NULL');
    await market.container.payerRefunds.turn();
    return (await market.owner.query('SELECT FROM x402_refunds WHERE ended_at IS NULL')).rows.length === 0;
  });
}

it('reads its credits', async () => {
  expect(await account(await withCredits())).toMatchObject({ credits: 19, refunds: [] });
});

it('spends them on a call', async () => {
  const payer = await withCredits();
  const answer = await fetch(`${market.url}${metered}`, {
    ...callOf(INPUT, await statement(payer, metered)),
    body: JSON.stringify({ input: INPUT, max_cost_credits: 5 }),
  });
  const body = (await answer.json()) as { usage: { credits_charged: number }; invocation_id: string };
  expect([answer.status, body.usage.credits_charged, receiptOf(answer)]).toEqual([200, 1, undefined]);
  expect(await account(payer)).toMatchObject({ credits: 18 });
  const path = `/v1/invocations/${body.invocation_id}`;
  const read = await fetch(`${market.url}${path}`, { headers: await statement(payer, path) });
  expect(await read.json()).toMatchObject({ status: 'succeeded', evidence: expect.anything() as unknown });
});

it('cannot spend the credits of a payment that has not arrived', async () => {
  const slow = await startAgent({ behaviour: { kind: 'slow', ms: 2_000 } });
  const { agentId } = await putLive(market, developer.userId, slow.url, { credits: 10 });
  const payer = await withCredits();
  const target = `${market.url}${invokePath(agentId)}`;
  await chain.mint(payer.address, 100_000n);
  const payment = await payer.sign(await fetch(target, callOf(INPUT)));
  const running = fetch(target, callOf(INPUT, paidWith(payment)));
  await heldBy(payer);
  const spent = await fetch(`${market.url}${metered}`, callOf(INPUT, await statement(payer, metered)));
  expect(spent.status).toBe(429);
  expect((await refund(payer)).status).toBe(409);
  expect((await running).status).toBe(200);
  expect((await refund(payer)).status).toBe(202);
  await turns();
  await slow.stop();
});

it('has them sent back to itself', async () => {
  const payer = await withCredits();
  const answer = await refund(payer, { credits: 9.5 });
  expect([answer.status, await answer.json()]).toMatchObject([
    202,
    { status: 'pending', credits: 9.5, pay_to: payer.address.toLowerCase() },
  ]);
  await turns();
  const { credits, refunds } = await account(payer);
  expect([credits, refunds]).toMatchObject([9.5, [{ status: 'confirmed', credits: 9.5 }]]);
  expect(await chain.balanceOf(payer.address)).toBe(95_000n);
  expect((await refund(payer)).status).toBe(202);
  await turns();
  expect(await account(payer)).toMatchObject({ credits: 0 });
  expect(await chain.balanceOf(payer.address)).toBe(190_000n);
  expect((await refund(payer)).status).toBe(402);
});

it('gets no more than it has, also when it asks twice at once', async () => {
  const payer = await withCredits();
  const answers = await Promise.all([refund(payer, { credits: 15 }), refund(payer, { credits: 15 })]);
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 402]);
  await turns();
  expect(await chain.balanceOf(payer.address)).toBe(150_000n);
});

it('is sent a refund once when the facilitator dies after it settled', async () => {
  const payer = await withCredits();
  facilitator.conduct = 'dies after settling';
  expect((await refund(payer)).status).toBe(202);
  await turns();
  expect(await chain.balanceOf(payer.address)).toBe(190_000n);
  expect(await account(payer)).toMatchObject({ credits: 0, refunds: [{ status: 'confirmed' }] });
});

it('disputes a call', async () => {
  const payer = await newPayer(chain, 200_000n);
  const answer = await payer.fetch(`${market.url}${metered}`, callOf(INPUT));
  const { invocation_id: invocationId } = (await answer.json()) as { invocation_id: string };
  const path = '/v1/billing/disputes';
  const opened = await fetch(`${market.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(await statement(payer, path)) },
    body: JSON.stringify({
      invocation_id: invocationId,
      reason: 'output_incorrect',
      description: 'It only echoes.',
    }),
  });
  expect([opened.status, await opened.json()]).toMatchObject([
    201,
    { invocation_id: invocationId, status: 'open' },
  ]);
});

describe('a statement is refused', () => {
  const path = '/v1/x402/account';
  const read = async (headers: Record<string, string>) => {
    const answer = await fetch(`${market.url}${path}`, { headers });
    const body = (await answer.json()) as { error?: { message: string } };
    return [answer.status, body.error?.message ?? ''] as const;
  };

  it('when it comes again', async () => {
    const payer = await withCredits();
    const headers = await statement(payer, path);
    expect((await read(headers))[0]).toBe(200);
    expect(await read(headers)).toEqual([401, expect.stringContaining('used before')]);
  });

  const wrong: [string, Statement, string][] = [
    ['for another marketplace', { domain: 'other.example' }, 'domain'],
    ['that has ended', { lifeMs: -1_000 }, 'passed'],
    ['that ends in a day', { lifeMs: 86_400_000 }, '10 minutes'],
    [
      'of another address',
      { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
      'not that of the address',
    ],
  ];
  it.each(wrong)('%s', async (_name, options, message) => {
    const payer = await withCredits();
    expect(await read(await statement(payer, path, options))).toEqual([
      401,
      expect.stringContaining(message),
    ]);
  });

  it('for another path', async () => {
    const payer = await withCredits();
    expect(await read(await statement(payer, '/v1/x402/refunds'))).toEqual([
      401,
      expect.stringContaining('uri'),
    ]);
  });

  it('of an address that never paid', async () => {
    expect(await read(await statement(await newPayer(chain, 0n), path))).toEqual([
      401,
      expect.stringContaining('paid nothing'),
    ]);
  });

  it('that is missing or no JSON', async () => {
    expect((await read({}))[0]).toBe(401);
    expect((await read({ 'sign-in-with-x': '%' }))[0]).toBe(400);
  });
});

it('cannot log in, and its id is no address for an account', async () => {
  const payer = await withCredits();
  const email = `${NETWORK}:${payer.address.toLowerCase()}`;
  const post = (path: string, body: object) =>
    fetch(`${market.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect((await post('/v1/auth/login', { email, password: '' })).status).toBeGreaterThanOrEqual(401);
  expect((await post('/v1/auth/login', { email, password: 'correct horse battery' })).status).toBeLessThan(
    500,
  );
  const taken = { email, password: 'correct horse battery', displayName: 'X', role: 'buyer' };
  expect((await post('/v1/auth/register', taken)).status).toBe(422);
  const { user_id: userId } = await account(payer);
  expect(await balance(market.owner, userId, 'wallet')).toBe(1_900);
});

async function heldBy({ address }: Payer): Promise<void> {
  const query = `SELECT FROM x402_payments WHERE payer = $1 AND state = 'held'`;
  await eventually(async () => (await market.owner.query(query, [address.toLowerCase()])).rows.length > 0);
}

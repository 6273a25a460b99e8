/**
 * Payouts in USDC on a real ledger, a real chain and x402's own facilitator: paid once, or given back, whatever fails.
 */
import { privateKeyToAccount } from 'viem/accounts';
import { loadConfig, type Config } from '../../../src/config';
import { PAYOUT_METHODS, type PayoutMethod } from '../../../src/domain/payouts/rails';
import { createEgress, type Egress } from '../../../src/egress/agent-call';
import { createCipher, parseMasterKeys } from '../../../src/kit/crypto/cipher';
import { createLogger } from '../../../src/logger';
import { createPayoutAccounts } from '../../../src/services/payouts/payout-accounts';
import { createPayoutRuns } from '../../../src/services/payouts/payout-runs';
import { writerHere } from '../../support/documents/pdf';
import { createPayoutViews } from '../../../src/services/payouts/payout-views';
import { chooseUsdcRail } from '../../../src/services/payouts/usdc-rail';
import { createUsdcTransfers } from '../../../src/services/payouts/usdc-transfers';
import { TEST_CA_FILE } from '../../support/agents/authority';
import { addUser, balancesOf, expectWhole, startLedger, type TestLedger } from '../../support/ledger/ledger';
import { DETAILS, MONDAY } from '../../support/payouts/payouts';
import { NETWORK, startChain, TOKEN, type UsdcChain } from '../../support/usdc/chain';
import { startFacilitator, type TestFacilitator } from '../../support/usdc/facilitator';
import { earnAt, putPricedInUsd, usdcSettings } from '../../support/usdc/scene';

let t: TestLedger;
let chain: UsdcChain;
let facilitator: TestFacilitator;
let egress: Egress;
let buyer: string;
let developer: string;
let attempt = 0;
const cipher = createCipher(parseMasterKeys('dev:1=ZGV2ZWxvcG1lbnQtb25seS1tYXN0ZXIta2V5LTMyYnk='));
const logger = createLogger('test', 'silent');
const asOf = MONDAY.toISOString();
const NEXT = '2026-11-23T00:00:00.000Z';

function settings(more: Record<string, string> = {}): Config {
  return loadConfig({
    NODE_ENV: 'test',
    DATABASE_URL: 'postgres://unused',
    EGRESS_ALLOW: '127.77.0.0/16',
    EGRESS_EXTRA_CA_FILE: TEST_CA_FILE,
    ...usdcSettings(chain, facilitator),
    ...more,
  });
}

const transfers = (more: Record<string, string> = {}) =>
  createUsdcTransfers({
    pool: t.app,
    cipher,
    logger,
    rail: chooseUsdcRail({ config: settings(more), egress }),
  });
const runs = (rails: readonly PayoutMethod[] = ['ach', 'swift', 'upi', 'usdc']) =>
  createPayoutRuns({
    pool: t.app,
    cipher,
    logger,
    payer: {
      companyName: 'M',
      companyId: '1',
      bankName: 'B',
      routingNumber: '1',
      accountNumber: '1',
      bic: 'B',
    },
    rails,
    taxFreeUnits: 60_000_000,
    settlesAtOnce: true,
  });
const accounts = () => createPayoutAccounts({ pool: t.app, cipher, rails: PAYOUT_METHODS });
const payoutsOf = async (developerUserId = developer) =>
  (await createPayoutViews({ pool: t.app, documents: writerHere }).list({ developerUserId, limit: 20 })).rows;
const run = () => ({ asOf, attempt });
const reserve = (developerUserId = developer, monday = asOf) =>
  runs().reserve({ developerUserId, asOf: monday, attempt });
/** A new address. */
const address = () =>
  privateKeyToAccount(`0x${Buffer.from(`${developer}/${addresses++}`).toString('hex').slice(-64)}`).address;
let addresses = 0;

/** A developer's agent that names an address, with earnings of 1,940 credits (USD 19.40) after the fee. */
async function earner(payTo: string = address()): Promise<string> {
  const agentId = await putPricedInUsd(t.owner, developer, payTo);
  await earnAt(t, { buyer, developer, agentId }, 2_000);
  return payTo;
}
const EARNED = 19_400_000n;

/** Reserves and signs; the one transfer. */
async function signed(more: Record<string, string> = {}): Promise<string> {
  await reserve();
  const [transferId = '', ...others] = await transfers(more).prepare(run());
  expect(others).toEqual([]);
  return transferId;
}

beforeAll(async () => {
  t = await startLedger();
  chain = await startChain();
  facilitator = await startFacilitator(chain);
  egress = createEgress(settings());
  buyer = await addUser(t, 'buyer', 9_000_000);
});
afterAll(async () => {
  await egress.close();
  await facilitator.stop();
  await chain.stop();
  await t.stop();
});
beforeEach(async () => {
  attempt += 1;
  developer = await addUser(t, 'developer');
  facilitator.conduct = 'settles';
  facilitator.calls.length = 0;
  facilitator.settled.length = 0;
  chain.rpc.answers = () => true;
  await chain.mint(chain.treasury.address, 1_000_000_000n);
});
afterEach(() => expectWhole(t.app));

describe('a Monday', () => {
  it('pays each address once, over agents and developers, and the rest by the own method', async () => {
    await accounts().setMethod(developer, 'ach', DETAILS.ach);
    const [one, two] = [await earner(), await earner()];
    await earner(one);
    const agentId = await putPricedInUsd(t.owner, developer, '');
    await earnAt(t, { buyer, developer, agentId }, 1_100);
    const first = developer;
    developer = await addUser(t, 'developer');
    await earner(one);
    await reserve(first);
    await reserve(developer);
    const ids = await transfers().prepare(run());
    expect(ids).toHaveLength(2);
    expect(await transfers().prepare(run())).toEqual(ids);
    for (const id of ids) {
      expect(await transfers().advance(id)).toBe(false);
      expect(await transfers().advance(id)).toBe(true);
    }
    expect([await chain.balanceOf(one), await chain.balanceOf(two)]).toEqual([3n * EARNED, EARNED]);
    expect(facilitator.settled).toHaveLength(2);
    const paid = (await payoutsOf(first)).map(({ method, payTo, status, amountMinor }) => [
      method,
      payTo,
      status,
      amountMinor,
    ]);
    expect(paid.sort()).toEqual(
      [
        ['ach', '', 'pending', 1_067],
        ['usdc', one, 'paid', 38_800_000],
        ['usdc', two, 'paid', 19_400_000],
      ].sort(),
    );
    const [view] = await payoutsOf();
    expect(view?.transfer).toMatchObject({ state: 'confirmed', network: NETWORK, asset: chain.asset });
    const hash = view?.transfer?.txHash as `0x${string}`;
    expect((await chain.client.waitForTransactionReceipt({ hash })).status).toBe('success');
    expect((await balancesOf(t.app, developer))['payable']).toBe(0);
  });

  it('continues after a transfer that cannot be decrypted, and completes it when it can', async () => {
    await earner();
    await earner();
    await reserve();
    const [broken = '', whole = ''] = await transfers().prepare(run());
    const write = 'UPDATE payout_transfers SET sealed = $2 WHERE transfer_id = $1 RETURNING sealed';
    const { rows } = await t.owner.query<{ sealed: Buffer }>(
      'SELECT sealed FROM payout_transfers WHERE transfer_id = $1',
      [broken],
    );
    await t.owner.query(write, [broken, Buffer.from('not sealed')]);
    expect(await transfers().advance(broken)).toBe(false);
    await transfers().advance(whole);
    expect(await transfers().advance(whole)).toBe(true);
    expect(await transfers().advance(broken)).toBe(false);
    await t.owner.query(write, [broken, rows[0]?.sealed]);
    await transfers().advance(broken);
    expect(await transfers().advance(broken)).toBe(true);
  });

  it('pays by the own method while the rail is off, as if no address was named', async () => {
    await accounts().setMethod(developer, 'ach', DETAILS.ach);
    await earner();
    await runs(['ach', 'swift', 'upi']).reserve({ developerUserId: developer, asOf, attempt });
    expect(await payoutsOf()).toMatchObject([{ method: 'ach', payTo: '', amountMinor: 1_940 }]);
    expect(await createUsdcTransfers({ pool: t.app, cipher, logger, rail: undefined }).hasWork(run())).toBe(
      false,
    );
  });

  it('pays a developer whose own method is USDC, in one transfer with what agents earned for that address', async () => {
    const payTo = address();
    await accounts().setMethod(developer, 'usdc', { address: payTo.toLowerCase(), network: 'base' });
    await earner(payTo);
    await earner('');
    const id = await signed();
    await transfers().advance(id);
    expect(await transfers().advance(id)).toBe(true);
    expect(await chain.balanceOf(payTo)).toBe(2n * EARNED);
    expect((await payoutsOf()).map(({ status }) => status)).toEqual(['paid', 'paid']);
  });

  it('rolls over what is below the minimum at its address, and pays no share of it otherwise', async () => {
    await accounts().setMethod(developer, 'ach', DETAILS.ach);
    const agentId = await putPricedInUsd(t.owner, developer, address());
    await earnAt(t, { buyer, developer, agentId }, 1_000);
    await reserve();
    expect(await payoutsOf()).toMatchObject([
      { method: 'usdc', status: 'rolled_over', reason: 'below_minimum' },
    ]);
  });

  it('rolls over a developer whose share comes after the first transfer', async () => {
    await earner();
    const id = await signed();
    const late = await addUser(t, 'developer');
    const agentId = await putPricedInUsd(t.owner, late, address());
    await earnAt(t, { buyer, developer: late, agentId }, 2_000);
    await reserve(late);
    expect(await payoutsOf(late)).toMatchObject([{ status: 'rolled_over', reason: 'run_closed' }]);
    await transfers().advance(id);
  });

  it('signs and sends once with any number of concurrent workers', async () => {
    const payTo = await earner();
    await reserve();
    const found = await Promise.all(Array.from({ length: 6 }, () => transfers().prepare(run())));
    const ids = new Set(found.flat());
    expect(ids.size).toBe(1);
    const [id = ''] = ids;
    await Promise.all(Array.from({ length: 6 }, () => transfers().advance(id)));
    expect(await transfers().advance(id)).toBe(true);
    expect(facilitator.settled).toHaveLength(1);
    expect(await chain.balanceOf(payTo)).toBe(EARNED);
  });
});

describe('a transfer', () => {
  it('whose answer is lost is looked up, and never sent again', async () => {
    const payTo = await earner();
    const id = await signed();
    facilitator.conduct = 'dies after settling';
    expect(await transfers().advance(id)).toBe(false);
    expect((await payoutsOf())[0]).toMatchObject({ status: 'processing', transfer: { state: 'unknown' } });
    facilitator.conduct = 'settles';
    expect(await transfers().advance(id)).toBe(true);
    expect(await transfers().advance(id)).toBe(true);
    expect(facilitator.settled).toHaveLength(1);
    expect(await chain.balanceOf(payTo)).toBe(EARNED);
    expect((await payoutsOf())[0]).toMatchObject({ status: 'paid', transfer: { state: 'confirmed' } });
  });

  it.each(['dies before settling', 'does not settle'] as const)(
    'that a facilitator took and which %s waits until it has expired, and is given back',
    async (conduct) => {
      const payTo = await earner();
      const id = await signed();
      facilitator.conduct = conduct;
      for (let times = 0; times < 3; times += 1) expect(await transfers().advance(id)).toBe(false);
      expect(facilitator.settled).toHaveLength(1);
      await chain.mine(1, 3_000);
      expect(await transfers().advance(id)).toBe(false);
      await chain.mine(1, 601);
      expect(await transfers().advance(id)).toBe(true);
      expect(await chain.balanceOf(payTo)).toBe(0n);
      expect((await payoutsOf())[0]).toMatchObject({ status: 'failed', transfer: { state: 'failed' } });
      expect((await balancesOf(t.app, developer))['payable']).toBe(194_000);
    },
  );

  it('that comes late, after we gave up on the answer, is paid and not given back', async () => {
    const payTo = await earner();
    const id = await signed();
    facilitator.conduct = 'dies before settling';
    await transfers().advance(id);
    const [late] = facilitator.settled;
    facilitator.conduct = 'settles';
    await fetchSettle(late);
    await chain.mine(1, 7_200);
    expect(await transfers().advance(id)).toBe(true);
    expect((await payoutsOf())[0]).toMatchObject({ status: 'paid' });
    expect(await chain.balanceOf(payTo)).toBe(EARNED);
  });

  it('that is refused goes to the same address a week later, with what came since', async () => {
    const payTo = await earner();
    const id = await signed();
    facilitator.conduct = 'refuses';
    expect(await transfers().advance(id)).toBe(false);
    await chain.mine(1, 3_601);
    expect(await transfers().advance(id)).toBe(true);
    expect(facilitator.settled).toHaveLength(0);
    expect((await payoutsOf())[0]).toMatchObject({ status: 'failed', reason: 'transfer_refused' });
    await expectWhole(t.app);
    facilitator.conduct = 'settles';
    await earner(payTo);
    await reserve(developer, NEXT);
    const [next = ''] = await transfers().prepare({ asOf: NEXT, attempt });
    await transfers().advance(next);
    expect(await transfers().advance(next)).toBe(true);
    expect(await chain.balanceOf(payTo)).toBe(2n * EARNED);
  });

  it('waits for money in the treasury, and is sent when it is there', async () => {
    const payTo = await earner();
    const id = await signed();
    await drain();
    expect(await transfers().advance(id)).toBe(false);
    expect((await payoutsOf())[0]?.transfer).toMatchObject({ state: 'pending', reason: 'treasury_short' });
    expect(facilitator.calls).toEqual([]);
    await chain.mint(chain.treasury.address, EARNED);
    await transfers().advance(id);
    expect(await transfers().advance(id)).toBe(true);
    expect(await chain.balanceOf(payTo)).toBe(EARNED);
  });

  it('counts as made when enough blocks are on it', async () => {
    await earner();
    const three = { PAYOUT_USDC_CONFIRMATIONS: '3' };
    const id = await signed(three);
    await transfers(three).advance(id);
    expect(await transfers(three).advance(id)).toBe(false);
    expect((await payoutsOf())[0]?.transfer).toMatchObject({ state: 'submitted' });
    await chain.mine(1);
    expect(await transfers(three).advance(id)).toBe(false);
    await chain.mine(1);
    expect(await transfers(three).advance(id)).toBe(true);
  });

  it('that the treasury canceled is given back', async () => {
    await earner();
    const id = await signed();
    facilitator.conduct = 'dies before settling';
    await transfers().advance(id);
    await cancel(facilitator.settled[0]?.paymentPayload.payload['authorization']);
    expect(await transfers().advance(id)).toBe(true);
    expect((await payoutsOf())[0]).toMatchObject({ status: 'failed', reason: 'authorization_canceled' });
  });

  it('waits while the node is silent, or is of another chain than the transfer', async () => {
    await earner();
    const id = await signed();
    chain.rpc.answers = () => false;
    expect(await transfers().advance(id)).toBe(false);
    await expect(transfers().prepare({ asOf, attempt: attempt + 1_000 })).resolves.toEqual([]);
    chain.rpc.answers = () => true;
    const elsewhere = {
      PAYOUT_USDC_NETWORK: 'eip155:8453',
      PAYOUT_USDC_ASSET: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    };
    expect(await transfers(elsewhere).advance(id)).toBe(false);
    expect(facilitator.calls).toEqual([]);
    await transfers().advance(id);
    expect(await transfers().advance(id)).toBe(true);
  });
});

describe('payouts in USDC are given back at once, and nothing is signed,', () => {
  it.each([
    [
      'on a wrong chain',
      { PAYOUT_USDC_NETWORK: 'eip155:8453', PAYOUT_USDC_ASSET: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
    ],
    ['for a token of another name', { PAYOUT_USDC_ASSET_NAME: 'USD Coin' }],
    ['for a token of another version', { PAYOUT_USDC_ASSET_VERSION: '1' }],
  ])('%s', async (_what, wrong) => {
    await earner();
    await reserve();
    expect(await transfers(wrong).prepare(run())).toEqual([]);
    expect(await payoutsOf()).toMatchObject([
      { status: 'failed', reason: 'chain_mismatch', transferId: null },
    ]);
    expect((await balancesOf(t.app, developer))['payable']).toBe(194_000);
  });

  it('when the node could not be asked for long', async () => {
    await earner();
    await reserve();
    chain.rpc.answers = () => false;
    await expect(transfers().prepare(run())).rejects.toThrow();
    expect(await transfers().giveUp(run())).toEqual([]);
    expect(await payoutsOf()).toMatchObject([{ status: 'failed', reason: 'chain_unavailable' }]);
  });
});

it('is found by the ledger check when a payout was paid without it, or when it has another outcome', async () => {
  await earner();
  const id = await signed();
  await transfers().advance(id);
  await transfers().advance(id);
  const [paid] = await payoutsOf();
  const name = (transferId: string | null) =>
    t.owner.query('UPDATE payouts SET transfer_id = $2 WHERE payout_id = $1', [paid?.payoutId, transferId]);
  await name(null);
  await expectWhole(t.app, ['transfers']);
  await name(id);
  await t.owner.query('ALTER TABLE payout_transfers DISABLE TRIGGER payout_transfer_moves');
  const end = (state: string) =>
    t.owner.query('UPDATE payout_transfers SET state = $2, reason = $2 WHERE transfer_id = $1', [id, state]);
  await end('failed');
  await expectWhole(t.app, ['transfers']);
  await end('confirmed');
  await t.owner.query('ALTER TABLE payout_transfers ENABLE TRIGGER payout_transfer_moves');
});

it('cannot be redirected in the database after it has ended', async () => {
  await earner();
  const id = await signed();
  await transfers().advance(id);
  await transfers().advance(id);
  const change = (set: string) =>
    t.owner.query(`UPDATE payout_transfers SET ${set} WHERE transfer_id = $1`, [id]);
  await expect(change(`state = 'pending', ended_at = NULL`)).rejects.toThrow('cannot go from');
  await expect(change('total_minor = 1')).rejects.toThrow('are fixed');
  await expect(t.app.query('UPDATE payout_transfers SET state = state')).rejects.toThrow('permission denied');
});

it('accepts an address with its checksum, and refuses a mistyped one', async () => {
  const payTo = address();
  const mistyped = `0x${payTo.slice(2).replace(/[a-f]/, (digit) => digit.toUpperCase())}`;
  const set = (text: string) => accounts().setMethod(developer, 'usdc', { address: text, network: 'base' });
  await expect(set(mistyped)).rejects.toMatchObject({ code: 'validation_failed' });
  await expect(set('0x0000000000000000000000000000000000000000')).rejects.toMatchObject({
    code: 'validation_failed',
  });
  expect((await set(payTo.toLowerCase())).masked).toMatchObject({ address: `•••• ${payTo.slice(-4)}` });
});

/** Brings a payment that the facilitator was given before, as it might do by itself. */
async function fetchSettle(payment: unknown): Promise<void> {
  const answer = await egress.json({
    url: `${facilitator.url}/settle`,
    headers: {},
    json: payment,
    deadlineMs: Date.now() + 20_000,
    maxResponseBytes: 100_000,
  });
  expect(answer.value).toMatchObject({ success: true });
}

/** The treasury spends all it has. */
async function drain(): Promise<void> {
  const value = await chain.balanceOf(chain.treasury.address);
  const call = { address: chain.asset, abi: TOKEN.abi, functionName: 'transfer' };
  const args = ['0x00000000000000000000000000000000000000aa', value];
  const hash = await chain.client.writeContract({ ...call, args, account: chain.treasury });
  await chain.client.waitForTransactionReceipt({ hash });
}

async function cancel(authorization: unknown): Promise<void> {
  const { from, nonce } = authorization as { from: `0x${string}`; nonce: `0x${string}` };
  const signature = await chain.treasury.signTypedData({
    domain: { name: 'USDC', version: '2', chainId: 84532, verifyingContract: chain.asset },
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: from, nonce },
  });
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130)];
  const hash = await chain.client.writeContract({
    address: chain.asset,
    abi: TOKEN.abi,
    functionName: 'cancelAuthorization',
    args: [from, nonce, Number.parseInt(v, 16), `0x${r}`, `0x${s}`],
  });
  await chain.client.waitForTransactionReceipt({ hash });
}

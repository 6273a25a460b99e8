import { createCipher, parseMasterKeys } from '../../src/kit/crypto/cipher';
import { type FileMethod, PAYOUT_METHODS } from '../../src/domain/payouts/rails';
import { createLogger } from '../../src/logger';
import { mondayOf } from '../../src/domain/payouts/payout';
import { createPayoutAccounts } from '../../src/services/payouts/payout-accounts';
import { createPayoutRuns, type PayoutRunsDeps } from '../../src/services/payouts/payout-runs';
import { createPayoutViews } from '../../src/services/payouts/payout-views';
import { settlePayouts } from '../../src/stores/payouts/payouts';
import { addUser, balancesOf, expectWhole, startLedger, type TestLedger } from '../support/ledger';
import { DETAILS, earn, loadRate, MATURE, MONDAY } from '../support/payouts';

/** The steps of a Monday on a real ledger: what is reserved, what waits and why, what the files say. */
let t: TestLedger;
let buyer: string;
let developer: string;
const cipher = createCipher(parseMasterKeys('dev:1=ZGV2ZWxvcG1lbnQtb25seS1tYXN0ZXIta2V5LTMyYnk='));
const asOf = MONDAY.toISOString();

const PAYER = {
  companyName: 'Agent Marketplace',
  companyId: '1000000000',
  bankName: 'Our Bank',
  routingNumber: '021000021',
  accountNumber: '000111222',
  bic: 'AAAAUS33',
};

const runs = (more: Partial<PayoutRunsDeps> = {}) =>
  createPayoutRuns({
    pool: t.app,
    cipher,
    logger: createLogger('test', 'silent'),
    payer: PAYER,
    rails: ['ach', 'swift', 'upi'],
    taxFreeUnits: 6_000_000,
    settlesAtOnce: true,
    ...more,
  });
const accounts = () => createPayoutAccounts({ pool: t.app, cipher, rails: PAYOUT_METHODS });
const views = () => createPayoutViews({ pool: t.app });
const share = (attempt = 0, monday = asOf) => ({ developerUserId: developer, asOf: monday, attempt });
const only = async () => {
  const { rows } = await views().list({ developerUserId: developer, limit: 1 });
  if (!rows[0]) throw new Error('no payout');
  return rows[0];
};
const prefer = (method: FileMethod) => accounts().setMethod(developer, method, DETAILS[method]);

beforeAll(async () => {
  t = await startLedger();
  buyer = await addUser(t, 'buyer', 9_000_000);
  await loadRate(t.owner);
});
afterAll(() => t.stop());
beforeEach(async () => {
  developer = await addUser(t, 'developer');
});
afterEach(() => expectWhole(t.app));

it('takes whole matured lots once, keeps the rest of a cent, and settles to zero', async () => {
  await prefer('ach');
  const taken = await earn(t, { buyer, developer }, [1_031, 10]);
  await earn(t, { buyer, developer }, [500], new Date(MONDAY.getTime() + 1));
  const first = await runs().reserve(share());
  expect(first?.status).toBe('pending');
  expect(await runs().reserve(share())).toEqual(first);
  // 1,041 credits less 3% are 100,977 units: 1,009 cents and 77 units.
  expect(await only()).toMatchObject({ amountUnits: 100_900, remainderUnits: 77, amountMinor: 1_009 });
  expect(await balancesOf(t.app, developer)).toMatchObject({ payable: 77 + 48_500 });
  await expectWhole(t.app);
  await runs().writeFile({ method: 'ach', asOf, attempt: 0 });
  await runs().settleFile('ach-20261116-0');
  const { payout, lines } = await views().get(developer, (await only()).payoutId);
  expect(payout.status).toBe('paid');
  expect(lines.map(({ invocationId }) => invocationId).filter(Boolean)).toEqual([...taken].sort());
  expect(lines.reduce((sum, { units }) => sum + units, 0)).toBe(100_900);
  expect((await balancesOf(t.app, null))['payout_clearing']).toBe(0);
  const csv = (await views().csv(developer, payout.payoutId)).toString();
  expect(csv).toMatch(/total,,,pay_\w+,,,,1009,/);
  expect((await views().pdf(developer, payout.payoutId)).toString('latin1')).toContain(
    'Paid: 1009.00 credits',
  );
});

it.each([
  ['no method', async () => undefined, 2_000, 'no_payout_method'],
  ['less than the minimum', () => prefer('ach'), 1_030, 'below_minimum'],
  ['more than the year allows without a tax form', () => prefer('ach'), 70_000, 'tax_form_required'],
  ['a rail that is closed', () => usdc(), 2_000, 'method_unavailable'],
])('rolls over with a reason: %s', async (_what, prepare, credits, reason) => {
  await prepare();
  await earn(t, { buyer, developer }, [credits]);
  expect((await runs().reserve(share(5)))?.status).toBe('rolled_over');
  expect(await only()).toMatchObject({ status: 'rolled_over', reason });
  expect(await balancesOf(t.app, developer)).toMatchObject({ payable: credits * 97 });
});

const usdc = () =>
  accounts().setMethod(developer, 'usdc', {
    address: '0x52908400098527886E0F7030069857D2E4169EE7',
    network: 'base',
  });

it('pays above the threshold once an operator has accepted the tax form', async () => {
  await prefer('swift');
  await earn(t, { buyer, developer }, [70_000]);
  await accounts().submitTaxForm(developer, {
    kind: 'w9',
    legalName: 'Ada',
    country: 'US',
    taxId: '123-45-6789',
  });
  expect((await runs().reserve(share()))?.status).toBe('rolled_over');
  await accounts().reviewTaxForm(developer, { status: 'accepted', by: 'usr_1', reason: 'complete' });
  expect((await runs().reserve(share(1)))?.status).toBe('pending');
});

it('exchanges at spot less half a percent, and says which rate', async () => {
  await prefer('upi');
  await earn(t, { buyer, developer }, [1_000]);
  await runs().reserve(share(7));
  const payout = await only();
  const applied = (84_123_456n * 995n) / 1n;
  // units × rate ÷ 100, with nine decimals of the rate.
  expect(payout.amountMinor).toBe(Number((97_000n * applied) / 100_000_000_000n));
  expect(payout).toMatchObject({ spotRate: '84.123456', rate: '83.702838720', currency: 'INR' });
  expect(payout.amountUnits + payout.remainderUnits).toBe(97_000);
  expect(payout.remainderUnits).toBeLessThan(2);
});

it('gives back what the bank returns, and takes it along the next Monday with what was left', async () => {
  await prefer('ach');
  await earn(t, { buyer, developer }, [1_041]);
  await runs().reserve(share(2));
  const bank = runs({ settlesAtOnce: false });
  const file = await bank.writeFile({ method: 'ach', asOf, attempt: 2 });
  expect(await bank.settleFile(file?.fileId ?? '')).toBe(0);
  const failed = await only();
  await settlePayouts(t.app, [failed.payoutId], { paid: false, reason: 'R03', at: new Date() });
  expect(await settlePayouts(t.app, [failed.payoutId], { paid: true, at: new Date() })).toBe(0);
  expect(await balancesOf(t.app, developer)).toMatchObject({ payable: 100_977 });
  await expectWhole(t.app);
  const [late] = await earn(t, { buyer, developer }, [100], MATURE);
  await runs().reserve(share(0, '2026-11-23T00:00:00.000Z'));
  const { lines, payout } = await views().get(developer, (await only()).payoutId);
  expect(payout).toMatchObject({ lotsUnits: 9_700, carriedUnits: 100_977, amountUnits: 110_600 });
  expect(lines.map(({ type, units }) => [type, units])).toEqual([
    ['invocation_earning', 9_700],
    ['payout_remainder', 77],
    ['payout_returned', 100_900],
    ['payout_remainder', -77],
  ]);
  await t.ledger.clawback([late ?? '']);
  expect((await balancesOf(t.app, developer))['payable']).toBe(0);
});

it('writes the same bytes again, and pays what was reserved to the method of that moment', async () => {
  await prefer('upi');
  await earn(t, { buyer, developer }, [1_000]);
  await runs().reserve(share(3));
  await accounts().setMethod(developer, 'upi', { ...DETAILS.upi, vpa: 'other@okbank' });
  const request = { method: 'upi', asOf, attempt: 3 } as const;
  const first = await runs().writeFile(request);
  expect(await runs().writeFile(request)).toEqual(first);
  await runs().settleFile(first?.fileId ?? '');
  expect(await runs().writeFile(request)).toEqual(first);
  const bytes = (await runs().readFile(first?.fileId ?? ''))?.bytes.toString() ?? '';
  expect(bytes).toContain('ada.l@okbank');
  expect(bytes).not.toContain('other@okbank');
  await expect(runs({ payer: { ...PAYER, accountNumber: '999' } }).writeFile(request)).rejects.toThrow(
    /already written with different content/,
  );
});

it('reserves a lot once, however many ask at the same time', async () => {
  await prefer('ach');
  await earn(t, { buyer, developer }, [600, 600, 600]);
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, attempt) => runs().reserve(share(attempt + 10))),
  );
  expect(made.filter((payout) => payout?.status === 'pending')).toHaveLength(1);
});

it('refuses a Monday that has not come, outside development', async () => {
  await prefer('ach');
  await earn(t, { buyer, developer }, [2_000]);
  const strict = runs({ refusesFuture: true });
  const future = new Date(mondayOf(Date.now()) + 7 * 86_400_000).toISOString();
  const told = expect.objectContaining({
    code: 'invalid_state',
    message: expect.stringContaining(future) as string,
  });
  await expect(strict.reserve(share(0, future))).rejects.toEqual(told);
  await expect(strict.begin({ asOf: future, attempt: 0, workflowId: 'w' })).rejects.toEqual(told);
  const odd = '2026-11-17T00:00:00.000Z';
  await expect(runs().begin({ asOf: odd, attempt: 0, workflowId: 'w' })).rejects.toMatchObject({
    code: 'invalid_state',
  });
  expect((await strict.reserve(share(30)))?.status).toBe('pending');
});

it('takes a carry into its own Monday or a later one, and never into an earlier one', async () => {
  await prefer('ach');
  await earn(t, { buyer, developer }, [2_000]);
  await runs().reserve(share(31, '2026-11-23T00:00:00.000Z'));
  const end = { paid: false, reason: 'R03', at: new Date() } as const;
  const returned = (await only()).payoutId;
  await settlePayouts(t.app, [returned], end);
  expect(await runs().reserve(share(32))).toBeNull();
  await earn(t, { buyer, developer }, [1_500]);
  await runs().reserve(share(32));
  const earlier = await only();
  expect(earlier).toMatchObject({ carriedUnits: 0, amountUnits: 145_500 });
  const move = 'UPDATE payout_carries SET into_payout_id = $1 WHERE payout_id = $2';
  await expect(t.owner.query(move, [earlier.payoutId, returned])).rejects.toThrow(/an earlier Monday/);
  await runs().reserve(share(33, '2026-11-23T00:00:00.000Z'));
  expect(await only()).toMatchObject({ carriedUnits: 194_000 });
});

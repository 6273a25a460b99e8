import { REGISTRATION_FEE_UNITS } from '../../../src/domain/ledger/money';
import { newId } from '../../../src/kit/ids/ids';
import { completeTopups } from '../../../src/stores/ledger/ledger-moves';
import { mayExist } from '../../../src/stores/operations/whereabouts';
import {
  addUser,
  balancesOf,
  expectWhole,
  ledgerCalls,
  startLedger,
  topUp,
  type TestLedger,
} from '../../support/ledger/ledger';

/** The balances of accounts: top-ups, the fee, roll-ups, and a developer's balance. */
let t: TestLedger;
let buyer: string;
let developer: string;
const later = new Date('2027-01-01T00:00:00Z');

beforeAll(async () => {
  t = await startLedger();
});
afterAll(() => t.stop());
beforeEach(async () => {
  buyer = await addUser(t, 'buyer', 100);
  developer = await addUser(t, 'developer');
});
afterEach(() => expectWhole(t.app));

const { held, capture } = ledgerCalls(() => ({ ...t, buyer, developer, maturesAt: later }));

describe('accounts', () => {
  it('gives every new user five accounts with neighbouring ids', async () => {
    const { rows } = await t.app.query<{ account_id: string; kind: string }>(
      'SELECT account_id, kind FROM accounts WHERE user_id = $1 ORDER BY account_id',
      [buyer],
    );
    expect(rows.map(({ kind }) => kind)).toEqual(['wallet', 'escrow', 'payable', 'bond', 'slash_hold']);
    const first = Number(rows[0]?.account_id);
    expect(rows.map(({ account_id }) => Number(account_id) - first)).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('the search for an operator', () => {
  it('knows an id that no call, top-up or payout has', async () => {
    const topupId = await topUp(t.app, buyer, 100);
    const { rows } = await t.app.query<{ transaction_id: string }>(
      'SELECT transaction_id FROM transactions LIMIT 1',
    );
    const ids = [topupId, rows[0]?.transaction_id ?? '', 'fees', `topup/${topupId}`];
    expect(await Promise.all(ids.map((id) => mayExist(t.app, id)))).toEqual([true, true, true, true]);
    const mistyped = ['inv', 'top', 'pay', 'slh', 'txn'].map((prefix) => newId(prefix as 'inv'));
    expect(await Promise.all(mistyped.map((id) => mayExist(t.app, id)))).toEqual(mistyped.map(() => false));
  });
});

describe('top-up', () => {
  it('credits once, however often it is completed', async () => {
    const topupId = await topUp(t.app, buyer, 5_000);
    expect((await completeTopups(t.app, [topupId, newId('top')])).map(({ outcome }) => outcome)).toEqual([
      'already_credited',
      'no_topup',
    ]);
    expect(await balancesOf(t.app, buyer)).toMatchObject({ wallet: 15_000 });
    expect(await balancesOf(t.app, null)).toMatchObject({ topup_clearing: 0 });
  });
});

describe('registration fee', () => {
  it('is the fee of the specification', async () => {
    const { rows } = await t.app.query<{ fee: string }>('SELECT ledger_registration_fee_units() AS fee');
    expect(Number(rows[0]?.fee)).toBe(REGISTRATION_FEE_UNITS);
  });

  it('is taken once, from a developer who can pay it', async () => {
    expect(await t.ledger.payRegistration(developer, 'trace')).toMatchObject({
      outcome: 'insufficient',
      amountUnits: 0,
    });
    await topUp(t.app, developer, REGISTRATION_FEE_UNITS + 50);
    expect(await t.ledger.payRegistration(developer, 'trace')).toMatchObject({
      outcome: 'paid',
      walletUnits: 50,
    });
    expect(await t.ledger.payRegistration(developer, 'trace')).toMatchObject({
      outcome: 'already_paid',
      amountUnits: 0,
      walletUnits: 50,
    });
    expect(await t.ledger.payRegistration(buyer, 'trace')).toMatchObject({ outcome: 'not_a_developer' });
    const { rows } = await t.app.query('SELECT registration_paid_at FROM users WHERE user_id = $1', [
      developer,
    ]);
    expect(rows[0]?.registration_paid_at).toBeInstanceOf(Date);
  });
});

describe('roll-up', () => {
  it('moves what waits into the balances and changes no sum', async () => {
    await capture(await held(10), 10);
    await capture(await held(10), 5);
    const before = await balancesOf(t.app, developer);
    expect(before).toMatchObject({ payable: 1_455 });
    expect(await t.ledger.rollUp()).toBeGreaterThanOrEqual(4);
    expect(await balancesOf(t.app, developer)).toEqual(before);
    const stored = await t.app.query('SELECT balance_units FROM accounts WHERE user_id = $1 AND kind = $2', [
      developer,
      'payable',
    ]);
    expect(stored.rows).toEqual([{ balance_units: '1455' }]);
    expect(await t.ledger.rollUp()).toBe(0);
  });

  it("counts a developer's running balance back, rolled up or not, over pages and filters", async () => {
    const ids = [];
    for (const credits of [10, 20, 30, 10]) ids.push(await held(credits));
    await capture(ids[0]!, 10);
    await capture(ids[1]!, 20);
    await t.ledger.rollUp();
    await capture(ids[2]!, 30);
    await t.ledger.clawback([ids[1]!]);
    await capture(ids[3]!, 10);
    const read = async (beforeEntryId?: string, entryType?: string) =>
      (
        await t.ledger.lines({
          userId: developer,
          accounts: ['payable', 'bond'],
          limit: 2,
          beforeEntryId,
          entryType,
        })
      ).rows;
    const show = (lines: Awaited<ReturnType<typeof read>>) =>
      lines.map((line) => [line.entryType, line.amountUnits, line.balanceAfterUnits]);
    const first = await read();
    expect(show(first)).toEqual([
      ['invocation_earning', 970, 970 + 2_910 + 970],
      ['dispute_refund', -1_940, 970 + 2_910],
    ]);
    const second = await read(first.at(-1)?.entryId);
    expect(show(second)).toEqual([
      ['invocation_earning', 2_910, 970 + 1_940 + 2_910],
      ['invocation_earning', 1_940, 970 + 1_940],
    ]);
    expect(show(await read(second.at(-1)?.entryId))).toEqual([['invocation_earning', 970, 970]]);
    expect(show(await read(undefined, 'invocation_earning'))).toEqual([
      ['invocation_earning', 970, 970 + 2_910 + 970],
      ['invocation_earning', 2_910, 970 + 1_940 + 2_910],
    ]);
  });
});

describe("a developer's balance", () => {
  it('separates earned from matured credits at the requested time', async () => {
    await capture(await held(10), 10);
    const soon = await t.ledger.developerBalance(developer, new Date(later.getTime() - 1));
    expect(soon).toMatchObject({
      walletUnits: 0,
      pendingPayoutUnits: 970,
      maturedUnits: 0,
      lifetimeEarnedUnits: 970,
    });
    expect((await t.ledger.developerBalance(developer, later)).maturedUnits).toBe(970);
  });
});

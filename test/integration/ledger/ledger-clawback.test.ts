import {
  addUser,
  balancesOf,
  expectWhole,
  holdRequest,
  startLedger,
  topUp,
  type TestLedger,
} from '../../support/ledger/ledger';

let t: TestLedger;
let buyer: string;
let developer: string;

beforeAll(async () => {
  t = await startLedger();
});
afterAll(() => t.stop());
beforeEach(async () => {
  buyer = await addUser(t, 'buyer', 100);
  developer = await addUser(t, 'developer');
});

async function captured(credits: number): Promise<string> {
  const request = holdRequest(buyer, developer, credits);
  const { invocationId } = request;
  await t.ledger.hold([request]);
  await t.ledger.capture([{ invocationId, grossUnits: credits * 100, maturesAt: new Date() }]);
  return invocationId;
}

const clawback = async (invocationId: string) => (await t.ledger.clawback([invocationId]))[0];

/** Moves units between a user's account and another one as the owner can, for situations that later issues make. */
async function shift(from: string, to: string, units: number): Promise<void> {
  await t.owner.query(`SELECT ledger_roll_up_locked(ARRAY[ledger_account($1, 'payable')])`, [developer]);
  await t.owner.query(
    `SELECT ledger_post('topup', 'test/' || gen_random_uuid(), NULL, NULL, 'test', NULL,
       ARRAY[CASE $2 WHEN 'cash' THEN 1 ELSE ledger_account($1, $2) END,
             CASE $3 WHEN 'cash' THEN 1 ELSE ledger_account($1, $3) END],
       ARRAY['test', 'test'], ARRAY[-$4::bigint, $4::bigint])`,
    [developer, from, to, units],
  );
}

/** As if the lot had been paid out. */
async function payOut(invocationId: string, units: number): Promise<void> {
  await t.owner.query(`UPDATE earnings SET payout_id = 'pay_test' WHERE invocation_id = $1`, [invocationId]);
  await shift('payable', 'cash', units);
}

it('gives the buyer all of it: the fee from the platform, the net from the pending payout', async () => {
  const before = await balancesOf(t.app, null);
  const id = await captured(10);
  const kept = await captured(20);
  expect(await clawback(id)).toMatchObject({
    outcome: 'clawed_back',
    amountUnits: 1_000,
    walletUnits: 8_000,
  });
  expect(await balancesOf(t.app, buyer)).toMatchObject({ wallet: 8_000, escrow: 0 });
  expect(await balancesOf(t.app, developer)).toMatchObject({ payable: 1_940 });
  expect(await balancesOf(t.app, null)).toMatchObject({
    fees: (before['fees'] ?? 0) + 60,
    platform: before['platform'],
  });
  expect(await t.ledger.developerBalance(developer, new Date())).toMatchObject({
    maturedUnits: 1_940,
    lifetimeEarnedUnits: 1_940,
  });
  expect((await clawback(kept))?.outcome).toBe('clawed_back');
  await expectWhole(t.app);
});

it('happens once', async () => {
  const id = await captured(10);
  const first = await clawback(id);
  expect(await clawback(id)).toEqual({ ...first, outcome: 'already_clawed_back', walletUnits: null });
  expect(await balancesOf(t.app, buyer)).toMatchObject({ wallet: 10_000 });
  await expectWhole(t.app);
});

it('takes a part with its shares of fee and net, once, and leaves the rest to mature', async () => {
  const before = (await balancesOf(t.app, null))['fees'] ?? 0;
  const id = await captured(10);
  const [result] = await t.ledger.clawback([id], [333]);
  expect(result).toMatchObject({ outcome: 'returned_in_part', amountUnits: 333, walletUnits: 9_333 });
  expect(await balancesOf(t.app, developer)).toMatchObject({ payable: 970 - 323 });
  expect((await balancesOf(t.app, null))['fees']).toBe(before + 30 - 10);
  expect(await t.ledger.developerBalance(developer, new Date())).toMatchObject({
    maturedUnits: 647,
    lifetimeEarnedUnits: 647,
  });
  for (const parts of [[1], [null]])
    expect((await t.ledger.clawback([id], parts))[0]).toMatchObject({
      outcome: 'already_clawed_back',
      amountUnits: 333,
      transactionId: result?.transactionId,
    });
  await expectWhole(t.app);
});

it('takes all of it for a part that is not less', async () => {
  const [id, other] = [await captured(10), await captured(10)];
  expect(
    (await t.ledger.clawback([id, other], [1_000, 5_000])).map(({ outcome, amountUnits }) => [
      outcome,
      amountUnits,
    ]),
  ).toEqual([
    ['clawed_back', 1_000],
    ['clawed_back', 1_000],
  ]);
  await expect(t.ledger.clawback([await captured(1)], [0])).rejects.toThrow('cannot take 0');
  await expectWhole(t.app);
});

it('is refused for calls that charged nothing', async () => {
  const open = holdRequest(buyer, developer, 1);
  const failed = holdRequest(buyer, developer, 1);
  const free = holdRequest(buyer, developer, 0);
  await t.ledger.hold([open, failed, free]);
  await t.ledger.voidHold([{ invocationId: failed.invocationId, disputed: false }]);
  await t.ledger.capture([{ invocationId: free.invocationId, grossUnits: 0, maturesAt: new Date() }]);
  const ids = [open, failed, free].map(({ invocationId }) => invocationId);
  expect((await t.ledger.clawback(ids)).map(({ outcome }) => outcome)).toEqual([
    'not_captured',
    'not_captured',
    'nothing_charged',
  ]);
  await expectWhole(t.app);
});

describe('when the earning was paid out before', () => {
  it('takes the rest from other lots, then the wallet, then the bond, and the platform bears what is missing', async () => {
    const platformBefore = (await balancesOf(t.app, null))['platform'] ?? 0;
    const paid = await captured(50);
    await payOut(paid, 4_850);
    const other = await captured(10);
    await topUp(t.app, developer, 1_500);
    await shift('wallet', 'bond', 500);

    expect((await clawback(paid))?.outcome).toBe('clawed_back');

    expect(await balancesOf(t.app, developer)).toMatchObject({ payable: 0, wallet: 0, bond: 0 });
    const missing = 4_850 - 970 - 1_000 - 500;
    expect((await balancesOf(t.app, null))['platform']).toBe(platformBefore - missing);
    const debts = await t.app.query(
      'SELECT owed_units, repaid_units FROM clawback_debts WHERE developer_user_id = $1',
      [developer],
    );
    expect(debts.rows).toEqual([{ owed_units: String(missing), repaid_units: '0' }]);
    const { rows } = await t.app.query(
      'SELECT recovered_units, clawed_back_at FROM earnings WHERE invocation_id = $1',
      [other],
    );
    expect(rows).toEqual([{ recovered_units: '970', clawed_back_at: null }]);
    expect(await balancesOf(t.app, buyer)).toMatchObject({ wallet: 9_000 });
    await expectWhole(t.app, ['payouts', 'top-ups', 'reasons']);
  });
});

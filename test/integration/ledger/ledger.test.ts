import { newId } from '../../../src/kit/ids/ids';
import {
  addUser,
  balancesOf,
  expectWhole,
  holdRequest,
  ledgerCalls,
  startLedger,
  topUp,
  type TestLedger,
} from '../../support/ledger/ledger';

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

const { held, capture, voidHold } = ledgerCalls(() => ({ ...t, buyer, developer, maturesAt: later }));

describe('a call', () => {
  it('moves its price into escrow, then 97% to the developer and 3% to the platform', async () => {
    const feesBefore = (await balancesOf(t.app, null))['fees'] ?? 0;
    const id = await held(10);
    expect(await balancesOf(t.app, buyer)).toMatchObject({ wallet: 9_000, escrow: 1_000 });
    expect(await balancesOf(t.app, developer)).toMatchObject({ payable: 0 });
    expect(await capture(id, 10)).toMatchObject({
      outcome: 'captured',
      amountUnits: 1_000,
      walletUnits: 9_000,
    });
    expect(await balancesOf(t.app, buyer)).toMatchObject({ wallet: 9_000, escrow: 0 });
    expect(await balancesOf(t.app, developer)).toMatchObject({ payable: 970 });
    expect((await balancesOf(t.app, null))['fees']).toBe(feesBefore + 30);
  });

  it('reads as hold, release and charge in the ledger of its buyer, each with its running balance', async () => {
    const id = await held(10);
    await capture(id, 4);
    const { rows: lines } = await t.ledger.lines({ userId: buyer, accounts: ['wallet'], limit: 10 });
    expect(lines.map((line) => [line.entryType, line.amountUnits, line.balanceAfterUnits])).toEqual([
      ['invocation_charge', -400, 9_600],
      ['invocation_release', 1_000, 10_000],
      ['invocation_hold', -1_000, 9_000],
      ['topup', 10_000, 10_000],
    ]);
    expect(lines[0]).toMatchObject({ invocationId: id, agentId: 'agt_csv_profiler_v1' });
    expect(await t.ledger.transactionIds(id)).toEqual([lines[2]?.transactionId, lines[0]?.transactionId]);
  });

  it('returns the unused part of a hold when the charge is smaller', async () => {
    const id = await held(10);
    expect(await capture(id, 3)).toMatchObject({ outcome: 'captured', walletUnits: 9_700 });
    expect(await balancesOf(t.app, buyer)).toMatchObject({ wallet: 9_700, escrow: 0 });
    expect(await balancesOf(t.app, developer)).toMatchObject({ payable: 291 });
  });

  it('returns all of a hold when the charge is zero, and earns nothing', async () => {
    const id = await held(10);
    expect(await capture(id, 0)).toMatchObject({ outcome: 'captured', amountUnits: 0, walletUnits: 10_000 });
    const { rows } = await t.app.query('SELECT 1 FROM earnings WHERE invocation_id = $1', [id]);
    expect(rows).toEqual([]);
  });

  it('returns everything when the call failed', async () => {
    const id = await held(10);
    expect(await voidHold(id)).toMatchObject({ outcome: 'voided', amountUnits: 1_000, walletUnits: 10_000 });
    expect(await balancesOf(t.app, buyer)).toMatchObject({ wallet: 10_000, escrow: 0 });
    expect((await t.ledger.lines({ userId: buyer, accounts: ['wallet'], limit: 1 })).rows[0]?.entryType).toBe(
      'refund',
    );
  });

  it('returns everything when the call was disputed while it ran', async () => {
    const id = await held(10);
    expect(await voidHold(id, true)).toMatchObject({ outcome: 'disputed', walletUnits: 10_000 });
    const { rows: lines } = await t.ledger.lines({ userId: buyer, accounts: ['wallet'], limit: 1 });
    expect(lines[0]?.entryType).toBe('dispute_refund');
  });

  it('has a hold but no entries when it is free', async () => {
    const id = await held(0);
    expect(await capture(id, 0)).toMatchObject({ outcome: 'captured', transactionId: null });
    const free = await held(0);
    expect(await voidHold(free)).toMatchObject({ outcome: 'voided', transactionId: null });
    expect(await t.ledger.transactionIds(id)).toEqual([]);
  });

  it('is refused when the wallet is one unit short', async () => {
    const poor = await addUser(t, 'buyer');
    await topUp(t.app, poor, 999);
    expect((await t.ledger.hold([holdRequest(poor, developer, 10)]))[0]).toMatchObject({
      outcome: 'insufficient',
    });
    expect(await balancesOf(t.app, poor)).toMatchObject({ wallet: 999, escrow: 0 });
    await topUp(t.app, poor, 1);
    expect((await t.ledger.hold([holdRequest(poor, developer, 10)]))[0]).toMatchObject({
      outcome: 'held',
      walletUnits: 0,
    });
  });

  it('may be a developer’s call of an own agent', async () => {
    await topUp(t.app, developer, 1_000);
    const request = holdRequest(developer, developer, 10);
    await t.ledger.hold([request]);
    await capture(request.invocationId, 10);
    expect(await balancesOf(t.app, developer)).toMatchObject({ wallet: 0, escrow: 0, payable: 970 });
    expect((await t.ledger.clawback([request.invocationId]))[0]?.outcome).toBe('clawed_back');
    expect(await balancesOf(t.app, developer)).toMatchObject({ wallet: 1_000, escrow: 0, payable: 0 });
  });
});

describe('repetition', () => {
  it('changes nothing, says what happened before and names its transaction', async () => {
    const request = holdRequest(buyer, developer, 10);
    const { invocationId } = request;
    const [first] = await t.ledger.hold([request]);
    expect((await t.ledger.hold([request]))[0]).toMatchObject({
      outcome: 'already_open',
      transactionId: first?.transactionId,
    });
    const captured = await capture(invocationId, 10);
    const before = await balancesOf(t.app, buyer);
    expect(await capture(invocationId, 7)).toEqual({
      ...captured,
      outcome: 'already_captured',
      walletUnits: null,
    });
    expect(await voidHold(invocationId)).toMatchObject({ outcome: 'already_captured', amountUnits: 1_000 });
    expect((await t.ledger.hold([request]))[0]?.outcome).toBe('already_resolved');
    expect(await balancesOf(t.app, buyer)).toEqual(before);
  });

  it('of a void says voided or disputed', async () => {
    const failed = await held(1);
    const disputed = await held(1);
    const first = await voidHold(failed);
    await voidHold(disputed, true);
    expect(await voidHold(failed, true)).toMatchObject({
      outcome: 'already_voided',
      transactionId: first?.transactionId,
    });
    expect((await capture(disputed, 1))?.outcome).toBe('already_disputed');
  });

  it('of an unknown call says that there is no hold', async () => {
    expect((await capture(newId('inv'), 1))?.outcome).toBe('no_hold');
    expect((await voidHold(newId('inv')))?.outcome).toBe('no_hold');
    expect((await t.ledger.clawback([newId('inv')]))[0]?.outcome).toBe('no_hold');
  });

  it('with other terms is a fault', async () => {
    const request = holdRequest(buyer, developer, 10);
    await t.ledger.hold([request]);
    await expect(t.ledger.hold([{ ...request, amountUnits: 900 }])).rejects.toThrow(
      /exists with other terms/,
    );
    await expect(t.ledger.hold([{ ...request, buyerUserId: developer }])).rejects.toThrow(
      /exists with other terms/,
    );
    await voidHold(request.invocationId);
  });
});

describe('arrays', () => {
  it('answer one result per item, in order, and spend the wallet in that order', async () => {
    const other = await addUser(t, 'buyer', 5);
    const items = [
      holdRequest(buyer, developer, 60),
      holdRequest(other, developer, 6),
      holdRequest(buyer, developer, 60),
      holdRequest(buyer, developer, 40),
      holdRequest(other, developer, 5),
    ];
    const results = await t.ledger.hold([...items, items[0]!]);
    expect(results.map(({ outcome }) => outcome)).toEqual([
      'held',
      'insufficient',
      'insufficient',
      'held',
      'held',
      'already_open',
    ]);
    const ids = items.map(({ invocationId }) => invocationId);
    const captured = await t.ledger.capture(
      [...ids, ids[0]!].map((invocationId) => ({ invocationId, grossUnits: 500, maturesAt: later })),
    );
    expect(captured.map(({ outcome }) => outcome)).toEqual([
      'captured',
      'no_hold',
      'no_hold',
      'captured',
      'captured',
      'already_captured',
    ]);
    expect(await balancesOf(t.app, developer)).toMatchObject({ payable: 3 * 485 });
  });

  it('of length zero answer nothing', async () => {
    expect(await t.ledger.hold([])).toEqual([]);
    expect(await t.ledger.capture([])).toEqual([]);
    expect(await t.ledger.voidHold([])).toEqual([]);
    expect(await t.ledger.clawback([])).toEqual([]);
  });

  it('leave nothing behind when one item is a fault', async () => {
    const id = await held(10);
    const other = await held(10);
    const items = [id, other].map((invocationId, index) => ({
      invocationId,
      grossUnits: index === 0 ? 1_000 : 1_100,
      maturesAt: later,
    }));
    await expect(t.ledger.capture(items)).rejects.toThrow(/holds_capture/);
    expect(await balancesOf(t.app, buyer)).toMatchObject({ wallet: 8_000, escrow: 2_000 });
  });
});

it('finds the lines of each transaction, and those alone, by the accounts that it names', async () => {
  for (const charged of [10, 4, 0]) await capture(await held(10), charged);
  const { rows } = await t.owner.query(
    `SELECT t.transaction_id FROM transactions t CROSS JOIN LATERAL (
       SELECT array_agg(l.entry_id ORDER BY l.line) AS found FROM ledger_lines(t.transaction_id) l) f
      WHERE f.found IS DISTINCT FROM
        (SELECT array_agg(e.entry_id ORDER BY e.line) FROM entries e WHERE e.transaction_id = t.transaction_id)`,
  );
  expect(rows).toEqual([]);
});

it('lets nothing but the names on invoices change while an account is erased', async () => {
  const client = await t.owner.connect();
  const tried = async (sql: string) => {
    await client.query(`BEGIN; SET LOCAL market.erasing = 'on'`);
    const outcome = await client.query(sql).then(
      () => 'allowed',
      (error: Error) => (/is refused/.exec(error.message) ?? [error.message])[0],
    );
    await client.query('ROLLBACK');
    return outcome;
  };
  expect(await tried('UPDATE invoices SET topup_id = topup_id')).toBe('allowed');
  for (const sql of ['DELETE FROM invoices', 'UPDATE entries SET line = 1', 'DELETE FROM entries'])
    expect([sql, await tried(sql)]).toEqual([sql, 'is refused']);
  client.release();
});

describe('amounts', () => {
  it.each([
    ['more than the hold', 1_100, /holds_capture/],
    ['a part of a credit', 150, /cannot capture/],
    ['less than nothing', -100, /cannot capture/],
  ])('refuses to capture %s', async (_what, grossUnits, refusal) => {
    const invocationId = await held(10);
    await expect(t.ledger.capture([{ invocationId, grossUnits, maturesAt: later }])).rejects.toThrow(refusal);
  });

  it.each([150, -100])('refuses to hold %d units', async (amountUnits) => {
    const request = { ...holdRequest(buyer, developer, 1), amountUnits };
    await expect(t.ledger.hold([request])).rejects.toThrow(/holds_whole_credits/);
  });

  it('captures the most expensive call of the specification, 100,000 credits, exactly', async () => {
    const rich = await addUser(t, 'buyer', 100_000);
    const request = holdRequest(rich, developer, 100_000);
    await t.ledger.hold([request]);
    await capture(request.invocationId, 100_000);
    expect(await balancesOf(t.app, developer)).toMatchObject({ payable: 9_700_000 });
  });
});

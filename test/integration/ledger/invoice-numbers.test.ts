/** Numbers of documents have no gaps, whatever is issued at once, and whatever is rolled back. */
import type { Pool } from 'pg';
import { newId } from '../../../src/kit/ids/ids';
import { closingUnits } from '../../../src/domain/billing/statement';
import { readKeptMonth, readMonthSums, keepMonth } from '../../../src/stores/billing/statements';
import { completeTopups } from '../../../src/stores/ledger/ledger-moves';
import {
  addUser,
  balancesOf,
  expectWhole,
  holdRequest,
  startLedger,
  topUp,
  type TestLedger,
} from '../../support/ledger/ledger';
import { testPool } from '../../support/stack/pool';
import { realTime } from '../../support/waits';

let t: TestLedger;
/** The connections of another process. */
let other: Pool;

beforeAll(async () => {
  t = await startLedger(12);
  other = testPool(t.database.ownerUrl, { max: 12 });
});
afterAll(async () => {
  await other.end();
  await t.stop();
});

const NUMBER = 'SELECT number FROM billing_next_number($1, $2::smallint, $3::timestamptz)';

/** Takes a number in a transaction that is committed or rolled back; null for one that was rolled back. */
async function take(pool: Pool, at: string, isKept: boolean): Promise<string | null> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ number: string }>(NUMBER, ['CRN', 7, at]);
    await client.query('SELECT pg_sleep(random() * 0.02)');
    await client.query(isKept ? 'COMMIT' : 'ROLLBACK');
    return isKept ? (rows[0]?.number ?? '') : null;
  } finally {
    client.release();
  }
}

it('counts fifty documents at once across a new year without gaps, in two processes, with rollbacks between', async () => {
  const taken = await Promise.all(
    Array.from({ length: 50 }, (_, index) => {
      const at = index % 2 === 0 ? '2026-12-31T23:59:59.999Z' : '2027-01-01T00:00:00Z';
      return take(index % 4 < 2 ? t.owner : other, at, index % 5 !== 4);
    }),
  );
  const kept = taken.filter((number) => number !== null).sort();
  const expected = ['2026', '2027'].flatMap((year) =>
    Array.from({ length: 20 }, (_, index) => `CRN7-${year}-${String(index + 1).padStart(6, '0')}`),
  );
  expect(kept).toEqual(expected);
  await t.owner.query(`DELETE FROM invoice_series WHERE series LIKE 'CRN7-%'`);
  await expectWhole(t.app);
});

it('goes on behind the number 999,999', async () => {
  await t.owner.query(`INSERT INTO invoice_series (series, last_number) VALUES ('CRN9-2026', 999998)`);
  const at = '2026-06-01T00:00:00Z';
  const numbers: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const { rows } = await t.owner.query<{ number: string }>(NUMBER, ['CRN', 9, at]);
    numbers.push(rows[0]?.number ?? '');
  }
  expect(numbers).toEqual(['CRN9-2026-999999', 'CRN9-2026-1000000', 'CRN9-2026-1000001']);
  await t.owner.query(`DELETE FROM invoice_series WHERE series = 'CRN9-2026'`);
});

it('gives fifty top-ups at once an invoice each', async () => {
  const users = await Promise.all(Array.from({ length: 10 }, () => addUser(t, 'buyer')));
  const ids = users.flatMap((user) => Array.from({ length: 5 }, () => ({ user, id: newId('top') })));
  for (const { user, id } of ids)
    await t.app.query(
      `INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider, tax_minor, terms)
       VALUES ($1, $2, 119, 'INR', 100, 'sandbox', 19, '{"issuer": {"entity_no": 3}, "tax": {}, "billed_to": {"name": "n"}}')`,
      [id, user],
    );
  await Promise.all(ids.map(({ id }, index) => completeTopups(index % 2 ? t.app : other, [id])));
  const { rows } = await t.owner.query<{ no: number; series: string }>(
    `SELECT series_no::int AS no, series FROM invoices WHERE topup_id = ANY ($1) ORDER BY series_no`,
    [ids.map(({ id }) => id)],
  );
  expect(rows.map(({ no }) => no)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  expect(new Set(rows.map(({ series }) => series.slice(0, 5)))).toEqual(new Set(['SBX3-']));
  await expectWhole(t.app);
});

it('a statement of any window equals the ledger: opening, movements and closing', async () => {
  const developer = await addUser(t, 'developer', 1);
  const buyer = await addUser(t, 'buyer');
  const from = Date.now();
  await topUp(t.app, buyer, 50_000);
  const calls = Array.from({ length: 6 }, () => holdRequest(buyer, developer, 10));
  for (const request of calls) await t.ledger.hold([request]);
  const [first = '', second = '', third = '', fourth = ''] = calls.map(({ invocationId }) => invocationId);
  await t.ledger.capture([{ invocationId: first, grossUnits: 700, maturesAt: new Date() }]);
  // An id has the millisecond in which it was made.
  await realTime(5, 'the windows have a millisecond between them');
  const middle = Date.now();
  await realTime(5, 'the windows have a millisecond between them');
  await t.ledger.capture([{ invocationId: second, grossUnits: 1_000, maturesAt: new Date() }]);
  await t.ledger.voidHold([{ invocationId: third, disputed: false }]);
  await t.ledger.clawback([second]);
  await t.ledger.voidHold([{ invocationId: fourth, disputed: true }]);
  await topUp(t.app, buyer, 1_234);
  const end = Date.now() + 1;
  const held = async () => {
    const { wallet = 0, escrow = 0 } = await balancesOf(t.app, buyer);
    return wallet + escrow;
  };
  const before = await readMonthSums(t.app, buyer, { fromMs: from, untilMs: middle });
  const after = await readMonthSums(t.app, buyer, { fromMs: middle, untilMs: end });
  const whole = await readMonthSums(t.app, buyer, { fromMs: from - 1_000, untilMs: end });
  const later = await readMonthSums(t.app, buyer, { fromMs: end, untilMs: end + 1_000 });
  expect(before).toEqual({
    openingUnits: 0,
    lines: [
      { type: 'invocation_charge', count: 1, units: -700 },
      { type: 'topup', count: 1, units: 50_000 },
    ],
  });
  expect(after.openingUnits).toBe(closingUnits(before));
  expect(after.lines).toEqual([
    { type: 'dispute_refund', count: 2, units: 1_000 },
    { type: 'invocation_charge', count: 1, units: -1_000 },
    { type: 'topup', count: 1, units: 1_234 },
  ]);
  expect(closingUnits(after)).toBe(await held());
  expect([whole.openingUnits, closingUnits(whole)]).toEqual([0, await held()]);
  expect(later).toEqual({ openingUnits: await held(), lines: [] });
});

it('keeps a closed month as it was first read', async () => {
  const buyer = await addUser(t, 'buyer');
  const sums = { openingUnits: 5, lines: [{ type: 'topup', count: 1, units: 7 }] };
  await Promise.all([keepMonth(t.app, buyer, '2026-01', sums), keepMonth(t.app, buyer, '2026-01', sums)]);
  await keepMonth(t.app, buyer, '2026-01', { openingUnits: 9, lines: [] });
  expect(await readKeptMonth(t.app, buyer, '2026-01')).toEqual(sums);
  await expect(t.owner.query('UPDATE account_months SET opening_units = 0')).rejects.toThrow('written once');
});

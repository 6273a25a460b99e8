/**
 * The SQL of payouts has the rails of src/domain/payouts/rails.ts, as rows of `payout_rails`, and no other list of
 * them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { PAYOUT_METHODS, type PayoutMethod, type Rail, RAILS } from '../../../src/domain/payouts/rails';
import { readFunctionFiles } from '../../../src/runtime/postgres/function-files';
import { migrate, MIGRATIONS_FOLDER } from '../../../src/runtime/postgres/migrate';
import { addUser } from '../../support/ledger/ledger';
import { createTestDatabase, type TestDatabase } from '../../support/stack/database';
import { testPool } from '../../support/stack/pool';

const UNITS_PER_CREDIT = 100;
const RUPEES_PER_DOLLAR = 83.125;

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = testPool(database.ownerUrl, { max: 1 });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

it('has a row for each rail, and migrate writes a changed one again', async () => {
  await pool.query(`UPDATE payout_rails SET minimum_units = 1, currency = 'XXX' WHERE method = 'ach'`);
  await pool.query(`DELETE FROM payout_rails WHERE method = 'upi'`);
  await migrate(database.ownerUrl);
  const { rows } = await pool.query<Record<string, string>>(
    `SELECT method, channel, currency, minimum_units, minor_per_credit, rate_quote FROM payout_rails ORDER BY method`,
  );
  const expected = PAYOUT_METHODS.toSorted().map((method) => {
    const rail: Rail = RAILS[method];
    return {
      method,
      channel: rail.channel,
      currency: rail.currency,
      minimum_units: String(rail.minimumCredits * UNITS_PER_CREDIT),
      minor_per_credit: String(rail.minorPerCredit),
      rate_quote: rail.rate?.slice(4) ?? null,
    };
  });
  expect(rows).toEqual(expected);
});

it('accepts payout methods of these rails alone', async () => {
  const developer = await addUser({ owner: pool, app: pool }, 'developer');
  const insert = (method: string) =>
    pool.query(
      `INSERT INTO payout_methods (method_id, developer_user_id, method, sealed, masked)
       VALUES ('pmt_' || replace(uuidv7()::text, '-', ''), $1, $2, '', '{}')`,
      [developer, method],
    );
  for (const method of PAYOUT_METHODS) await insert(method);
  await expect(insert('cheque')).rejects.toMatchObject({ constraint: 'payout_methods_rail' });
});

it('names no bank rail in a function', () => {
  const named = readFunctionFiles(MIGRATIONS_FOLDER).filter(({ sql }) => /'(?:ach|swift|upi)'/.test(sql));
  expect(named.map(({ path }) => path)).toEqual([]);
});

it('is a table of four places in ARCHITECTURE.md', () => {
  const page = readFileSync(join(MIGRATIONS_FOLDER, '../ARCHITECTURE.md'), 'utf8');
  const row = /^\| a payout rail +\|.*$/m.exec(page)?.[0] ?? '';
  expect(row).not.toContain('migrations/');
});

describe.each(PAYOUT_METHODS)('%s', (method: PayoutMethod) => {
  const rail: Rail = RAILS[method];
  const rate = rail.rate ? RUPEES_PER_DOLLAR : null;

  it('pays the smallest units of the table, rounded down, for the fewest credits', async () => {
    for (const credits of [1, 500, 12_345, 90_071_992_547_409]) {
      const { rows } = await pool.query<{ minor: string; used: string; less: string }>(
        `SELECT payout_minor($1::bigint, minor_per_credit, $3::numeric) AS minor,
                payout_used_units($1::bigint, minor_per_credit, $3::numeric) AS used,
                payout_minor(payout_used_units($1::bigint, minor_per_credit, $3::numeric) - 1, minor_per_credit,
                  $3::numeric) AS less
           FROM payout_rails WHERE method = $2`,
        [credits * UNITS_PER_CREDIT, method, rate],
      );
      const minor = BigInt(rows[0]?.minor ?? 0);
      const thousandths = BigInt(credits) * BigInt(rail.minorPerCredit) * BigInt((rate ?? 1) * 1_000);
      expect(minor).toBe(thousandths / 1_000n);
      expect(BigInt(rows[0]?.used ?? 0)).toBeLessThanOrEqual(BigInt(credits * UNITS_PER_CREDIT));
      expect(BigInt(rows[0]?.less ?? 0)).toBeLessThan(minor);
    }
  });
});

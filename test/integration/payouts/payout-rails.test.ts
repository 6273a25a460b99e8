/** The SQL of payouts knows the rails of src/domain/payouts/rails.ts, with the same figures. */
import type { Pool } from 'pg';
import { PAYOUT_METHODS, type PayoutMethod, type Rail, RAILS } from '../../../src/domain/payouts/rails';
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

it('accepts these methods and no others', async () => {
  const { rows } = await pool.query<{ text: string }>(
    `SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint
     WHERE conrelid = 'payout_methods'::regclass AND conname = 'payout_methods_method_check'`,
  );
  const named = [...(rows[0]?.text ?? '').matchAll(/'(\w+)'::text/g)].map(([, name]) => name);
  expect([rows.length, named.sort()]).toEqual([1, [...PAYOUT_METHODS].sort()]);
});

describe.each(PAYOUT_METHODS)('%s', (method: PayoutMethod) => {
  const rail: Rail = RAILS[method];

  it('has the minimum of the table', async () => {
    const { rows } = await pool.query<{ units: string }>('SELECT payout_minimum_units($1) AS units', [
      method,
    ]);
    expect(Number(rows[0]?.units)).toBe(rail.minimumCredits * UNITS_PER_CREDIT);
  });

  it('has the smallest unit of the table', async () => {
    const credits = 12_345;
    const { rows } = await pool.query<{ minor: string }>(
      'SELECT payout_minor($1::bigint, $2, $3::numeric) AS minor',
      [credits * UNITS_PER_CREDIT, method, rail.rate && RUPEES_PER_DOLLAR],
    );
    const rate = rail.rate ? RUPEES_PER_DOLLAR : 1;
    expect(Number(rows[0]?.minor)).toBe(Math.floor(credits * rail.minorPerCredit * rate));
  });

  it('has the currency of the table', async () => {
    const { rows } = await pool.query<{ text: string }>(
      `SELECT prosrc AS text FROM pg_proc WHERE proname = 'payout_terms'`,
    );
    const text = rows[0]?.text ?? '';
    const named = new RegExp(`WHEN '${method}' THEN '(\\w+)'`).exec(text)?.[1];
    const fallback = /made\.currency := CASE [^;]*ELSE '(\w+)' END/.exec(text)?.[1];
    expect(named ?? fallback).toBe(rail.currency);
  });
});

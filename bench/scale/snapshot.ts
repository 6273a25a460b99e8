/**
 * What calls cost while another connection keeps a snapshot open, as a backup or a ledger check does
 * (docs/internals/statements.md#calls-in-flight).
 */
import { createPool } from '../../src/stores/db';
import { median } from '../measure';
import { call, longCallsOf, type Measured, STEPS } from './rows';

const CALLS = 2_000;
const SAMPLE = 100;
/** A buyer and an agent that other rows do not use. */
const [BUYER, AGENT] = [9, 3];

/** The medians of the first hundred calls of one buyer at one agent since the snapshot, and of the last. */
export async function measureBehindSnapshot(connectionString: string): Promise<Measured[]> {
  const pool = createPool({ connectionString, max: 4, applicationName: 'bench', onError: () => undefined });
  const reader = await pool.connect();
  const times: Awaited<ReturnType<typeof call>>[] = [];
  const listLongCalls = longCallsOf([pool]);
  try {
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await reader.query('SELECT FROM holds LIMIT 1');
    for (let n = 0; n < CALLS; n += 1) {
      await listLongCalls();
      times.push(await call(pool, BUYER, AGENT));
    }
    await reader.query('COMMIT');
  } finally {
    reader.release();
    await pool.end();
  }
  return [0, CALLS - SAMPLE].flatMap((from) =>
    STEPS.map((step) => ({
      name: `${step} behind a snapshot, after ${from} calls`,
      value: median(times.slice(from, from + SAMPLE).map((took) => took[step])),
      unit: 'ms' as const,
      mayGrow: true,
    })),
  );
}

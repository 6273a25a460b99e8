/** What calls cost while another connection keeps a snapshot open, as a backup or a ledger check does (ADR 0129). */
import { createPool } from '../../src/stores/db';
import { findLongCalls } from '../../src/stores/calls/long-calls';
import { median } from '../measure';
import { call, type Measured, STEPS } from './rows';

const CALLS = 2_000;
const SAMPLE = 100;
/** A buyer and an agent that other rows do not use. */
const [BUYER, AGENT] = [9, 3];

/** The medians of the first hundred calls of one buyer at one agent since the snapshot, and of the last. */
export async function measureBehindSnapshot(connectionString: string): Promise<Measured[]> {
  const pool = createPool({ connectionString, max: 4, applicationName: 'bench', onError: () => undefined });
  const reader = await pool.connect();
  const times: Awaited<ReturnType<typeof call>>[] = [];
  let listedAt = 0;
  try {
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await reader.query('SELECT FROM holds LIMIT 1');
    for (let n = 0; n < CALLS; n += 1) {
      times.push(await call(pool, BUYER, AGENT));
      // What a worker does every two seconds.
      if (performance.now() - listedAt < 2_000) continue;
      await findLongCalls(pool);
      listedAt = performance.now();
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

/** Statements that wait for a row which the test has locked, so that the order of concurrent requests is known. */
import type { Client } from 'pg';
import { eventually } from '../waits';

/** Waits until so many statements of the database wait for a lock. */
export async function untilWaiting(owner: Client, count: number): Promise<void> {
  await eventually(async () => {
    await owner.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await owner.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
    );
    return rows[0]?.n === count;
  });
}

/** Runs `work` while the test holds the locks of a statement. */
export async function withLock<T>(
  owner: Client,
  lock: { text: string; values: unknown[] },
  work: () => Promise<T>,
): Promise<T> {
  await owner.query('BEGIN');
  try {
    await owner.query(lock.text, lock.values);
    return await work();
  } finally {
    await owner.query('COMMIT');
  }
}

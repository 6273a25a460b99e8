import type { Db } from '../db';

/** Reports of a worker older than this are not read: the worker is gone. */
const FRESH_MS = 30_000;
const KEPT_MS = 3_600_000;

/** Writes which loops of a worker fail, and deletes the reports of workers that are long gone. */
export async function writeLoopReport(db: Db, worker: string, failing: readonly string[]): Promise<void> {
  await db.query({
    name: 'loop-report',
    text: `WITH old AS (
             DELETE FROM loop_reports WHERE worker <> $1 AND reported_at < now() - $3 * interval '1 millisecond')
           INSERT INTO loop_reports (worker, failing, reported_at) VALUES ($1, $2, now())
           ON CONFLICT (worker) DO UPDATE SET failing = excluded.failing, reported_at = excluded.reported_at`,
    values: [worker, failing, KEPT_MS],
  });
}

/** The names of the loops that fail in any worker, in order. */
export async function readFailingLoops(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>({
    name: 'failing-loops',
    text: `SELECT DISTINCT unnest(failing) AS name FROM loop_reports
            WHERE reported_at > now() - $1 * interval '1 millisecond' ORDER BY name`,
    values: [FRESH_MS],
  });
  return rows.map((row) => row.name);
}

import type { Db } from '../db';

/** A worker reports every five seconds. One that has been silent for longer than this is frozen or gone. */
const SILENT_MS = 15_000;
const KEPT_MS = 3_600_000;
const MOST_WORKERS = 1_000;

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

/** Deletes the report of a worker that ends. */
export async function deleteLoopReport(db: Db, worker: string): Promise<void> {
  await db.query('DELETE FROM loop_reports WHERE worker = $1', [worker]);
}

export interface WorkerReport {
  worker: string;
  failing: string[];
  reportedAt: Date;
  /** False for a worker that has been silent for 15 s: it is frozen, or ended without its last report. */
  isAlive: boolean;
}

/** What the workers of the last hour reported last, the latest first. */
export async function readWorkers(db: Db): Promise<WorkerReport[]> {
  const { rows } = await db.query<{
    worker: string;
    failing: string[];
    reported_at: Date;
    is_alive: boolean;
  }>({
    name: 'worker-reports',
    text: `SELECT worker, failing, reported_at, reported_at > now() - $1 * interval '1 millisecond' AS is_alive
             FROM loop_reports WHERE reported_at > now() - $2 * interval '1 millisecond'
            ORDER BY reported_at DESC LIMIT ${MOST_WORKERS}`,
    values: [SILENT_MS, KEPT_MS],
  });
  return rows.map((row) => ({
    worker: row.worker,
    failing: row.failing,
    reportedAt: row.reported_at,
    isAlive: row.is_alive,
  }));
}

/** Months of money and their way into the archive (ADR 0143; `migrations/functions/operations/month_*.sql`). */
import { type Db, onlyRow } from '../db';

/** Lists the months of money that calls may still read and write, oldest first, as `YYYY-MM`; the present one is the last. */
export async function listAttachedMonths(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ month: string }>(`
    SELECT m.month FROM (SELECT replace(right(relname, 7), '_', '-') AS month FROM pg_class
      WHERE relnamespace = 'months'::regnamespace AND relkind = 'r' AND relname ~ '^entries_[0-9]{4}_[0-9]{2}$') m
     WHERE m.month <= to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM') ORDER BY m.month`);
  return rows.map(({ month }) => month);
}

/** Says why a month (`YYYY-MM`) cannot be detached yet; empty when it can. */
export async function readMonthProblems(db: Db, month: string, keepDays: number): Promise<string[]> {
  const { rows } = await db.query<{ problem: string }>(
    'SELECT p AS problem FROM month_problems($1::date, $2) p',
    [`${month}-01`, keepDays],
  );
  return rows.map(({ problem }) => problem);
}

/** Detaches a month. `db` belongs to the owner of the tables. Each step is a transaction; a repetition begins anew. */
export async function detachMonth(db: Db, month: string, fileSha256: string): Promise<void> {
  for (const validating of [false, true])
    await db.query('SELECT month_prepare($1::date, $2)', [`${month}-01`, validating]);
  await db.query('SELECT month_detach($1::date, $2)', [`${month}-01`, fileSha256]);
}

/** Number of bytes of a month's tables with their indexes, wherever they are. */
export async function readMonthBytes(db: Db, month: string): Promise<number> {
  const result = await db.query<{ bytes: string }>(
    `SELECT coalesce(sum(pg_total_relation_size(oid)), 0) AS bytes FROM pg_class
      WHERE relkind = 'r' AND relnamespace IN ('months'::regnamespace, 'archive'::regnamespace)
        AND relname ~ '^(transactions|entries|holds|earnings|invocations)_' AND right(relname, 7) = replace($1, '-', '_')`,
    [month],
  );
  return Number(onlyRow(result).bytes);
}

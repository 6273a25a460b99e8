/**
 * The rows of a month's archive, read in one snapshot (docs/ledger.md, "Archives"), and how a month is detached
 * (ADR 0143; `migrations/functions/operations/month_*.sql`).
 */
import { type Db, onlyRow } from '../db';

/** Tables of a month besides transactions and entries, with the prefix of their ids. */
export const ARCHIVED_TABLES = ['invocations', 'holds', 'earnings'] as const;
export type ArchivedTable = (typeof ARCHIVED_TABLES)[number];

export interface ArchiveMonth {
  /** Days of the month since the first transaction, and how many of them are sealed. */
  days: number;
  sealed: number;
  isOver: boolean;
}

/** `month`: `YYYY-MM`. */
export async function readArchiveMonth(db: Db, month: string): Promise<ArchiveMonth> {
  return onlyRow(
    await db.query<ArchiveMonth>(
      `SELECT greatest(m.until - greatest(m.since, f.first), 0) AS days, m.until <= (now() AT TIME ZONE 'UTC')::date AS "isOver",
              (SELECT count(*)::int FROM ledger_digests d WHERE d.day >= m.since AND d.day < m.until) AS sealed
       FROM (SELECT $1::date AS since, ($1::date + interval '1 month')::date AS until) m,
            (SELECT coalesce(digest_day_of(min(transaction_id)), 'infinity'::date) AS first FROM all_transactions) f`,
      [`${month}-01`],
    ),
  );
}

export interface ArchivePage {
  rows: string[];
  /** The last id of the page; undefined when there are no more rows. */
  afterId: string | undefined;
}

/** Reads the lines that the digest of a day was folded from, in their order, after `afterId`. */
export async function readDigestLines(
  db: Db,
  page: { day: string; afterId: string | undefined; limit: number },
): Promise<ArchivePage> {
  const { rows } = await db.query<{ id: string; line: string }>(
    `WITH page AS (
       SELECT min(transaction_id) AS first, max(transaction_id) AS last FROM (
         SELECT transaction_id FROM all_transactions
          WHERE transaction_id >= digest_first_id($1::date) AND transaction_id < digest_first_id($1::date + 1)
            AND transaction_id > coalesce($2, '') ORDER BY transaction_id LIMIT $3) t)
     SELECT l.transaction_id AS id, l.line FROM page, digest_lines(page.first, page.last || '0') l ORDER BY 1`,
    [page.day, page.afterId ?? null, page.limit],
  );
  return { rows: rows.map(({ line }) => line), afterId: rows.at(-1)?.id };
}

/** Reads the rows of a month as JSON, in the order of their ids, after `afterId`. */
export async function readArchivedRows(
  db: Db,
  page: { table: ArchivedTable; month: string; afterId: string | undefined; limit: number },
): Promise<ArchivePage> {
  const { rows } = await db.query<{ id: string; line: string }>(
    `SELECT r.invocation_id AS id, row_to_json(r)::text AS line FROM all_${page.table} r
      WHERE r.invocation_id >= partition_bound('inv', $1::date)
        AND r.invocation_id < partition_bound('inv', ($1::date + interval '1 month')::date)
        AND r.invocation_id > coalesce($2, '') ORDER BY r.invocation_id LIMIT $3`,
    [`${page.month}-01`, page.afterId ?? null, page.limit],
  );
  return { rows: rows.map(({ line }) => line), afterId: rows.at(-1)?.id };
}

/**
 * Lists the months of money that calls may still read and write, oldest first, as `YYYY-MM`; the present one is the
 * last.
 */
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

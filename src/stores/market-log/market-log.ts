/** The days of the market log and what they are made of (`migrations/0199_market_log.sql`). */
import type { LiabilityKind, ServiceKind, SumNode } from '../../domain/ledger/market-log';
import { unitsFromDatabase } from '../../domain/ledger/money';
import { onlyRow, type Db } from '../db';

/** Key of pg_try_advisory_xact_lock: only one process at a time makes the log. */
const LOCK_KEY = 7_203_011;

/** Accounts of 1,024 owners: their ids are n·10 + 1 to 5. All accounts of an owner are in one bucket. */
const BUCKET_IDS = 10_240;

export interface LogWork {
  day: string;
  readTo: string;
  /** The first transaction id of the day after. */
  untilId: string;
  nextBucket: number;
  isPublished: boolean;
}

export interface LogDay {
  day: string;
  statementSha256: string;
  /** Canonical JSON. */
  statement: string;
  seal: string;
  publishedAt: Date;
}

/** The day to make next: the one after the last that was published, or at first the last sealed one. */
export async function readDueDay(db: Db): Promise<string | undefined> {
  const { rows } = await db.query<{ day: string | null }>(
    `SELECT to_char(CASE WHEN p.day IS NULL THEN s.day WHEN s.day > p.day THEN p.day + 1 END, 'YYYY-MM-DD') AS day
       FROM (SELECT max(day) AS day FROM ledger_digests) s, (SELECT max(day) AS day FROM market_log_days) p`,
  );
  return rows[0]?.day ?? undefined;
}

/** Takes the lock until the transaction ends. Returns false if another process makes the log. */
export async function lockLog(tx: Db): Promise<boolean> {
  const result = await tx.query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS locked', [
    LOCK_KEY,
  ]);
  return onlyRow(result).locked;
}

export async function readWork(db: Db): Promise<LogWork | undefined> {
  const { rows } = await db.query<Omit<LogWork, 'nextBucket'> & { nextBucket: string }>(
    `SELECT to_char(w.day, 'YYYY-MM-DD') AS day, w.read_to AS "readTo", digest_first_id(w.day + 1) AS "untilId",
            w.next_bucket AS "nextBucket",
            EXISTS (SELECT FROM market_log_days d WHERE d.day = w.day) AS "isPublished"
       FROM market_log_work w`,
  );
  const [row] = rows;
  return row && { ...row, nextBucket: Number(row.nextBucket) };
}

/** Begins a day. What was read of earlier days stays. */
export async function beginDay(tx: Db, day: string, sealedSecret: Buffer): Promise<void> {
  await tx.query(
    `INSERT INTO market_log_work (day) VALUES ($1) ON CONFLICT (only_row) DO UPDATE SET day = $1, next_bucket = 0`,
    [day],
  );
  await tx.query(`INSERT INTO market_log_secrets (day, sealed) VALUES ($1, $2)`, [day, sealedSecret]);
}

/**
 * Adds the entries of the next `atOnce` transactions of sealed days up to the day to the balances. They are found by
 * their primary key and by block ranges.
 */
export async function readEntries(tx: Db, { day, readTo, untilId }: LogWork, atOnce: number): Promise<void> {
  const { rows } = await tx.query<{ transaction_id: string }>(
    `SELECT transaction_id FROM all_transactions WHERE transaction_id >= $1 AND transaction_id < $2
      ORDER BY transaction_id OFFSET $3 LIMIT 1`,
    [readTo, untilId, atOnce],
  );
  const cut = rows[0]?.transaction_id ?? untilId;
  await tx.query(
    `INSERT INTO market_log_balances AS b (account_id, day, units, units_before)
     SELECT e.account_id, $3::date, sum(e.amount_units), 0 FROM all_entries e
      WHERE e.transaction_id >= $1 AND e.transaction_id < $2 GROUP BY e.account_id ORDER BY e.account_id
     ON CONFLICT (account_id) DO UPDATE SET units = b.units + excluded.units, day = excluded.day,
       units_before = CASE WHEN b.day < excluded.day THEN b.units ELSE b.units_before END`,
    [readTo, cut, day],
  );
  await tx.query('UPDATE market_log_work SET read_to = $1', [cut]);
}

export async function readLastBucket(db: Db): Promise<number> {
  const { rows } = await db.query<{ id: string | null }>('SELECT max(account_id) AS id FROM accounts');
  return bucketOf(Number(rows[0]?.id ?? 0));
}

export function bucketOf(accountId: number): number {
  return Math.floor(accountId / BUCKET_IDS);
}

export interface LogBalance {
  owner: string;
  kind: LiabilityKind;
  units: number;
}

/** What the accounts of a bucket had at the end of a day, which is the last published one or the one being made. */
export const BUCKET = `
  SELECT a.user_id AS owner, a.kind, CASE WHEN b.day <= $3::date THEN b.units ELSE b.units_before END AS units
    FROM market_log_balances b JOIN accounts a USING (account_id)
   WHERE b.account_id >= $1 AND b.account_id < $2 AND a.user_id IS NOT NULL
     AND CASE WHEN b.day <= $3::date THEN b.units ELSE b.units_before END <> 0`;

export async function readBucket(db: Db, bucket: number, day: string): Promise<LogBalance[]> {
  const { rows } = await db.query<Omit<LogBalance, 'units'> & { units: string }>(BUCKET, [
    bucket * BUCKET_IDS,
    (bucket + 1) * BUCKET_IDS,
    day,
  ]);
  return rows.map((row) => ({ ...row, units: unitsFromDatabase(row.units) }));
}

/** Balances of the service's accounts at the end of the day being made. */
export async function readService(db: Db): Promise<Record<ServiceKind, number>> {
  const { rows } = await db.query<{ kind: ServiceKind; units: string }>(
    `SELECT a.kind, coalesce(b.units, 0) AS units FROM accounts a LEFT JOIN market_log_balances b USING (account_id)
      WHERE a.account_id BETWEEN 1 AND 5`,
  );
  return Object.fromEntries(rows.map(({ kind, units }) => [kind, unitsFromDatabase(units)])) as never;
}

export interface LogNode extends SumNode {
  kind: LiabilityKind;
  level: number;
  position: number;
}

export async function insertNodes(tx: Db, day: string, nodes: readonly LogNode[]): Promise<void> {
  if (nodes.length === 0) return;
  await tx.query(
    `INSERT INTO market_log_nodes (day, kind, level, position, units, hash)
     SELECT $1, n.* FROM unnest($2::text[], $3::smallint[], $4::bigint[], $5::bigint[], $6::text[]) n`,
    [
      day,
      nodes.map(({ kind }) => kind),
      nodes.map(({ level }) => level),
      nodes.map(({ position }) => position),
      nodes.map(({ units }) => units),
      nodes.map(({ hash }) => hash),
    ],
  );
}

export async function moveToBucket(tx: Db, nextBucket: number): Promise<void> {
  await tx.query('UPDATE market_log_work SET next_bucket = $1', [nextBucket]);
}

/** The nodes of the buckets of one kind. */
export async function readBucketNodes(
  db: Db,
  day: string,
  kind: LiabilityKind,
): Promise<Map<number, SumNode>> {
  const { rows } = await db.query<{ position: string; units: string; hash: string }>(
    'SELECT position, units, hash FROM market_log_nodes WHERE day = $1 AND kind = $2 AND level = 0',
    [day, kind],
  );
  return new Map(
    rows.map(({ position, units, hash }) => [Number(position), { units: unitsFromDatabase(units), hash }]),
  );
}

/** The siblings of the nodes from a bucket up to the root, from below. */
export async function readSiblings(
  db: Db,
  day: string,
  kind: LiabilityKind,
  bucket: number,
): Promise<LogNode[]> {
  const { rows } = await db.query<{ level: number; position: string; units: string; hash: string }>(
    `SELECT n.level, n.position, n.units, n.hash FROM generate_series(0, 62) l
       JOIN market_log_nodes n ON n.day = $1 AND n.kind = $2 AND n.level = l AND n.position = ($3::bigint >> l) # 1
      ORDER BY n.level`,
    [day, kind, bucket],
  );
  return rows.map(({ level, position, units, hash }) => ({
    kind,
    level,
    position: Number(position),
    units: unitsFromDatabase(units),
    hash,
  }));
}

export async function readSealedSecret(db: Db, day: string): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ sealed: Buffer }>(
    'SELECT sealed FROM market_log_secrets WHERE day = $1',
    [day],
  );
  return rows[0]?.sealed;
}

export async function readDigestOf(db: Db, day: string): Promise<string> {
  const result = await db.query<{ digest_sha256: string }>(
    'SELECT digest_sha256 FROM ledger_digests WHERE day = $1',
    [day],
  );
  return onlyRow(result).digest_sha256;
}

export async function insertDay(
  tx: Db,
  row: Omit<LogDay, 'publishedAt'> & { previousSha256: string; kid: string },
): Promise<void> {
  await tx.query(
    `INSERT INTO market_log_days (day, statement_sha256, previous_sha256, statement, kid, seal)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [row.day, row.statementSha256, row.previousSha256, row.statement, row.kid, row.seal],
  );
}

/** Deletes the secret and the nodes of the days before: their leaves can no longer be opened. */
export async function forgetDaysBefore(tx: Db, day: string): Promise<void> {
  await tx.query('DELETE FROM market_log_nodes WHERE day < $1', [day]);
  await tx.query('DELETE FROM market_log_secrets WHERE day < $1', [day]);
}

const DAY = `to_char(d.day, 'YYYY-MM-DD') AS day, d.statement_sha256 AS "statementSha256", d.statement, d.seal,
  d.published_at AS "publishedAt"`;

export async function readLastDay(db: Db): Promise<LogDay | undefined> {
  const { rows } = await db.query<LogDay>(`SELECT ${DAY} FROM market_log_days d ORDER BY d.day DESC LIMIT 1`);
  return rows[0];
}

/** Lists days, newest first, with the total. `beforeDay`: only days before this one. */
export async function listDays(
  db: Db,
  page: { beforeDay?: string | undefined; limit: number },
): Promise<{ rows: LogDay[]; total: number }> {
  const { rows } = await db.query<LogDay>(
    `SELECT ${DAY} FROM market_log_days d WHERE d.day < coalesce($1::date, 'infinity') ORDER BY d.day DESC LIMIT $2`,
    [page.beforeDay ?? null, page.limit],
  );
  const count = await db.query<{ total: string }>('SELECT count(*) AS total FROM market_log_days');
  return { rows, total: Number(onlyRow(count).total) };
}

/** The bucket of an owner's accounts. */
export async function readOwnBucket(db: Db, userId: string): Promise<number | undefined> {
  const { rows } = await db.query<{ id: string | null }>(
    'SELECT min(account_id) AS id FROM accounts WHERE user_id = $1',
    [userId],
  );
  const id = rows[0]?.id ?? undefined;
  return id === undefined ? undefined : bucketOf(Number(id));
}

/**
 * The daily digests of the ledger (`migrations/0010_ledger_digests.sql`), and the fence after which a day gets no more
 * entries.
 */
import { type DayDigest, type DigestFigures, NO_DIGEST } from '../../domain/ledger/ledger-digest';
import { unitsFromDatabase } from '../../domain/ledger/money';
import { onlyRow, type Db } from '../db';

/** Key of pg_try_advisory_xact_lock: only one process at a time seals digests. */
const LOCK_KEY = 7_203_003;

export interface DigestRow extends DayDigest {
  digestSha256: string;
  kid: string;
  /** Compact JWS over the digest's terms. */
  seal: string;
  sealedAt: Date;
}

/**
 * A point in time together with a database transaction number. Once all transactions below this number have ended, no
 * transaction id of an earlier time can be added: every movement locks a row, and so gets its number, before it creates
 * its transaction id, so a movement that begins later creates a later id.
 */
export interface Fence {
  /** Database time, as text. */
  at: string;
  /** The fence's own transaction number. All numbers assigned earlier are lower. */
  xid: string;
}

export async function readFence(db: Db): Promise<Fence> {
  // Not the xmax of a snapshot: it is above the last number that has ended, not above the last that was assigned.
  return onlyRow(await db.query<Fence>('SELECT now()::text AS at, pg_current_xact_id()::text AS xid'));
}

/** Returns true once all transactions that may have written before the fence have ended. */
export async function hasPassed(db: Db, { xid }: Fence): Promise<boolean> {
  const result = await db.query<{ passed: boolean }>(
    'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 AS passed',
    [xid],
  );
  return onlyRow(result).passed;
}

/** The next day to seal if it has ended by `closedBy` (default: now); undefined otherwise. */
export async function readNextDay(db: Db, closedBy?: string): Promise<string | undefined> {
  const { rows } = await db.query<{ day: string | null }>(
    `SELECT to_char(digest_next_day(coalesce($1::timestamptz, now())), 'YYYY-MM-DD') AS day`,
    [closedBy ?? null],
  );
  return rows[0]?.day ?? undefined;
}

/** Takes the lock until the transaction ends. Returns false if another process is sealing. */
export async function lockDigests(tx: Db): Promise<boolean> {
  const result = await tx.query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS locked', [
    LOCK_KEY,
  ]);
  return onlyRow(result).locked;
}

/** A range of ids, `untilId` exclusive. */
interface IdRange {
  fromId: string;
  untilId: string;
}

export async function idsOfDay(db: Db, day: string): Promise<IdRange> {
  const result = await db.query<IdRange>(
    `SELECT digest_first_id($1::date) AS "fromId", digest_first_id($1::date + 1) AS "untilId"`,
    [day],
  );
  return onlyRow(result);
}

/** Brings the index up to date by which `readFigures` finds the entries of a range. */
export async function summarizeEntries(db: Db): Promise<void> {
  await db.query('SELECT ledger_summarize_entries()');
}

const NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/**
 * Computes the figures of a range of ids in chunks of `atOnce` transactions, so that no statement takes long. The hash
 * is chained from the SHA-256 of the empty string. The result is final only for a range that gets no more entries.
 */
export async function readFigures(
  db: Db,
  { fromId, untilId }: IdRange,
  atOnce: number,
): Promise<DigestFigures> {
  const sum = { transactions: 0, entries: 0, debitsUnits: 0, creditsUnits: 0, entriesSha256: NOTHING };
  for (let from: string | undefined = fromId; from !== undefined;) {
    const cut: string | undefined = await readCut(db, { fromId: from, untilId }, atOnce);
    const result = await db.query<
      Record<'transactions' | 'entries' | 'debits' | 'credits' | 'folded', string>
    >(
      `SELECT transactions, entries, debits_units AS debits, credits_units AS credits, encode(folded, 'hex') AS folded
         FROM digest_between($1, $2, decode($3, 'hex'))`,
      [from, cut ?? untilId, sum.entriesSha256],
    );
    const part = onlyRow(result);
    sum.transactions += Number(part.transactions);
    sum.entries += Number(part.entries);
    sum.debitsUnits += unitsFromDatabase(part.debits);
    sum.creditsUnits += unitsFromDatabase(part.credits);
    sum.entriesSha256 = part.folded;
    from = cut;
  }
  return sum;
}

/** The id after the first `atOnce` transactions of a range; undefined if the range has no more. */
async function readCut(db: Db, { fromId, untilId }: IdRange, atOnce: number): Promise<string | undefined> {
  const { rows } = await db.query<{ transaction_id: string }>(
    `SELECT transaction_id FROM transactions WHERE transaction_id >= $1 AND transaction_id < $2
      ORDER BY transaction_id OFFSET $3 LIMIT 1`,
    [fromId, untilId, atOnce],
  );
  return rows[0]?.transaction_id;
}

/** The last digest, from which the next one continues. */
export async function readLastDigest(db: Db): Promise<string> {
  const { rows } = await db.query<{ digest_sha256: string }>(
    'SELECT digest_sha256 FROM ledger_digests ORDER BY day DESC LIMIT 1',
  );
  return rows[0]?.digest_sha256 ?? NO_DIGEST;
}

export async function insertDigest(tx: Db, digest: Omit<DigestRow, 'sealedAt'>): Promise<void> {
  await tx.query(
    `INSERT INTO ledger_digests (day, transactions, entries, debits_units, credits_units, entries_sha256,
       previous_sha256, digest_sha256, kid, seal) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      digest.day,
      digest.transactions,
      digest.entries,
      digest.debitsUnits,
      digest.creditsUnits,
      digest.entriesSha256,
      digest.previousSha256,
      digest.digestSha256,
      digest.kid,
      digest.seal,
    ],
  );
}

/** Lists digests, newest first, with the total. `beforeDay`: only days before this one. */
export async function listDigests(
  db: Db,
  page: { beforeDay?: string | undefined; limit: number },
): Promise<{ rows: DigestRow[]; total: number }> {
  const { rows } = await db.query<RawDigest>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day_text, d.* FROM ledger_digests d
      WHERE $1::text IS NULL OR to_char(day, 'YYYY-MM-DD') < $1 ORDER BY day DESC LIMIT $2`,
    [page.beforeDay ?? null, page.limit],
  );
  const count = await db.query<{ total: string }>('SELECT count(*) AS total FROM ledger_digests');
  return { rows: rows.map(toDigest), total: Number(onlyRow(count).total) };
}

interface RawDigest {
  day_text: string;
  transactions: string;
  entries: string;
  debits_units: string;
  credits_units: string;
  entries_sha256: string;
  previous_sha256: string;
  digest_sha256: string;
  kid: string;
  seal: string;
  sealed_at: Date;
}

function toDigest(row: RawDigest): DigestRow {
  return {
    day: row.day_text,
    transactions: Number(row.transactions),
    entries: Number(row.entries),
    debitsUnits: unitsFromDatabase(row.debits_units),
    creditsUnits: unitsFromDatabase(row.credits_units),
    entriesSha256: row.entries_sha256,
    previousSha256: row.previous_sha256,
    digestSha256: row.digest_sha256,
    kid: row.kid,
    seal: row.seal,
    sealedAt: row.sealed_at,
  };
}

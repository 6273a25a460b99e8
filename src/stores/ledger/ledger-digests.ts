/** The digests of the ledger's days (migration 0950), and the moment from which a day gets no more entries. */
import { type DayDigest, type DigestFigures, NO_DIGEST } from '../../domain/ledger/ledger-digest';
import { unitsFromDatabase } from '../../domain/ledger/money';
import { onlyRow, type Db } from '../db';

/** pg_try_advisory_xact_lock key: one process at a time seals. */
const LOCK_KEY = 7_203_003;

export interface DigestRow extends DayDigest {
  digestSha256: string;
  kid: string;
  /** Compact JWS over the terms. */
  seal: string;
  sealedAt: Date;
}

/**
 * A moment, and the database transactions that may have begun to write before it: whoever began later makes ids of
 * later times, because every movement locks a row (and so gets its number) before it makes its transaction's id.
 */
export interface Fence {
  /** Time of the database, as its own text. */
  at: string;
  /** The number of the fence itself: all that were given out before are below it. */
  xid: string;
}

export async function readFence(db: Db): Promise<Fence> {
  // Not the xmax of a snapshot, which is above the last number that has ended, not above the last that was given out.
  return onlyRow(await db.query<Fence>('SELECT now()::text AS at, pg_current_xact_id()::text AS xid'));
}

/** True once all that may have written before the fence has ended. */
export async function hasPassed(db: Db, { xid }: Fence): Promise<boolean> {
  const result = await db.query<{ passed: boolean }>(
    'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 AS passed',
    [xid],
  );
  return onlyRow(result).passed;
}

/** The next day to seal, when it was over by then (default: now); undefined when there is none. */
export async function readNextDay(db: Db, closedBy?: string): Promise<string | undefined> {
  const { rows } = await db.query<{ day: string | null }>(
    `SELECT to_char(digest_next_day(coalesce($1::timestamptz, now())), 'YYYY-MM-DD') AS day`,
    [closedBy ?? null],
  );
  return rows[0]?.day ?? undefined;
}

/** False: somebody else seals now. Held until the transaction ends. */
export async function lockDigests(tx: Db): Promise<boolean> {
  const result = await tx.query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS locked', [
    LOCK_KEY,
  ]);
  return onlyRow(result).locked;
}

/** Ids from `fromId` up to, and without, `untilId`. */
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

const NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/**
 * The figures of a range of ids, read `atOnce` transactions at a time so that no statement is long; the hash begins with
 * SHA-256 of nothing. What it says is for ever only for a range that gets no more entries.
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

/** The first id beyond the first `atOnce` of a range. */
async function readCut(db: Db, { fromId, untilId }: IdRange, atOnce: number): Promise<string | undefined> {
  const { rows } = await db.query<{ transaction_id: string }>(
    `SELECT transaction_id FROM transactions WHERE transaction_id >= $1 AND transaction_id < $2
      ORDER BY transaction_id OFFSET $3 LIMIT 1`,
    [fromId, untilId, atOnce],
  );
  return rows[0]?.transaction_id;
}

/** What the next digest continues. */
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

/** Newest first, days before `beforeDay`; and how many there are. */
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

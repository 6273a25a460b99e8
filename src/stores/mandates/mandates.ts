import { unitsFromDatabase } from '../../domain/ledger/money';
import { shownTo } from '../shown-to';
import type { Db } from '../db';
import { countRows } from '../list-total';

/** One mandate of a chain, as `invocation_accept` takes it. Amounts are in units. */
export interface MandateLevelItem {
  mandate_id: string;
  jti: string;
  parent_id: string | null;
  depth: number;
  content_sha256: string;
  kid: string;
  subject: string;
  max_units: number;
  max_call_units: number | null;
  max_occurrences: number | null;
  payees: readonly string[] | null;
  /** ISO 8601. */
  not_before: string | null;
  expires_at: string;
}

/** The mandate of a call. Its issuer is the buyer of the call. */
export interface MandateItem {
  caller_user_id: string;
  /** The issuer's key that signed the first mandate. */
  kid: string;
  proof_jti: string | null;
  /** The chain, beginning with the buyer's own mandate. The last one is used for the call. */
  levels: MandateLevelItem[];
}

/** State of a mandate chain in the database, before a call is accepted under it. */
export interface MandateStanding {
  /** True if the first mandate's subject is an active agent of the issuer. */
  ownsSubject: boolean;
  /** Number of different active agents among the other subjects that are shown to the caller. */
  knownSubjects: number;
  revoked: boolean;
  /** True if the issuer keeps inputs and outputs of its calls. */
  keepsBodies: boolean;
}

export async function readMandateStanding(
  db: Db,
  { issuerUserId, callerUserId }: Record<'issuerUserId' | 'callerUserId', string>,
  subjects: readonly string[],
  mandateIds: readonly string[],
): Promise<MandateStanding> {
  const { rows } = await db.query<{ owns: boolean; known: number; revoked: boolean; keeps: boolean }>({
    name: 'mandate-standing',
    text: `SELECT EXISTS (SELECT FROM agents a WHERE a.agent_id = $2 AND a.developer_user_id = $1
                            AND a.status = 'active') AS owns,
                  (SELECT count(*)::int FROM agents a WHERE a.agent_id = ANY ($3) AND a.status = 'active'
                      AND ${shownTo('$5')}) AS known,
                  EXISTS (SELECT FROM mandate_revocations r
                           WHERE r.issuer_user_id = $1 AND r.mandate_id = ANY ($4)) AS revoked,
                  EXISTS (SELECT FROM users u WHERE u.user_id = $1 AND u.keep_days > 0) AS keeps`,
    values: [issuerUserId, subjects[0], subjects.slice(1), mandateIds, callerUserId],
  });
  const row = rows[0];
  if (!row) throw new Error('no row');
  const { owns, known, revoked, keeps } = row;
  return { ownsSubject: owns, knownSubjects: known, revoked, keepsBodies: keeps };
}

export interface MandateRow {
  seq: string;
  mandateId: string;
  jti: string;
  rootJti: string;
  parentId: string | null;
  depth: number;
  kid: string;
  subject: string;
  maxUnits: number;
  maxCallUnits: number | null;
  maxOccurrences: number | null;
  payees: string[] | null;
  notBefore: Date | null;
  expiresAt: Date;
  reservedUnits: number;
  spentUnits: number;
  occurrences: number;
  firstUsedAt: Date;
  revokedAt: Date | null;
}

interface RawRow {
  seq: string;
  mandate_id: string;
  jti: string;
  root_jti: string;
  parent_id: string | null;
  depth: number;
  kid: string;
  subject: string;
  max_units: string;
  max_call_units: string | null;
  max_occurrences: number | null;
  payees: string[] | null;
  not_before: Date | null;
  expires_at: Date;
  reserved_units: string;
  spent_units: string;
  occurrences: number;
  first_used_at: Date;
  revoked_at: Date | null;
}

/** Reads mandates. A mandate counts as revoked if it or any mandate above it is revoked. */
const SELECT = `
  SELECT m.*, (WITH RECURSIVE above AS (
      SELECT m.mandate_id, m.parent_id UNION ALL
      SELECT p.mandate_id, p.parent_id FROM above a JOIN mandates p
        ON p.issuer_user_id = m.issuer_user_id AND p.mandate_id = a.parent_id)
    SELECT min(r.revoked_at) FROM mandate_revocations r JOIN above a USING (mandate_id)
      WHERE r.issuer_user_id = m.issuer_user_id) AS revoked_at
  FROM mandates m WHERE m.issuer_user_id = $1`;

export async function readMandate(
  db: Db,
  issuerUserId: string,
  mandateId: string,
): Promise<MandateRow | undefined> {
  const { rows } = await db.query<RawRow>(`${SELECT} AND m.mandate_id = $2`, [issuerUserId, mandateId]);
  return rows[0] && toRow(rows[0]);
}

/** Lists an account's mandates that were used at least once, newest first, with the total. */
export async function listMandates(
  db: Db,
  filter: { issuerUserId: string; beforeSeq?: string | undefined; limit: number },
): Promise<{ rows: MandateRow[]; total: number }> {
  const { rows } = await db.query<RawRow>(
    `${SELECT} AND ($2::bigint IS NULL OR m.seq < $2) ORDER BY m.seq DESC LIMIT $3`,
    [filter.issuerUserId, filter.beforeSeq ?? null, filter.limit],
  );
  const list = { from: 'mandates', key: 'issuer_user_id = $1', order: 'seq DESC' };
  return { rows: rows.map(toRow), total: await countRows(db, list, [filter.issuerUserId]) };
}

/** Locks the revocations of an account until the transaction ends, and counts those of mandates without a call. */
export async function countUnusedRevocationsForUpdate(tx: Db, issuerUserId: string): Promise<number> {
  await tx.query('SELECT FROM users WHERE user_id = $1 FOR NO KEY UPDATE', [issuerUserId]);
  const { rows } = await tx.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM mandate_revocations WHERE issuer_user_id = $1 AND unused',
    [issuerUserId],
  );
  return rows[0]?.n ?? 0;
}

/** How a mandate stands: whether a call was accepted under it, and whether it is revoked. */
export async function readRevocation(
  db: Db,
  issuerUserId: string,
  mandateId: string,
): Promise<{ isUsed: boolean; isRevoked: boolean }> {
  const { rows } = await db.query<{ isUsed: boolean; isRevoked: boolean }>(
    `SELECT EXISTS (SELECT FROM mandates WHERE issuer_user_id = $1 AND mandate_id = $2) AS "isUsed",
            EXISTS (SELECT FROM mandate_revocations WHERE issuer_user_id = $1 AND mandate_id = $2) AS "isRevoked"`,
    [issuerUserId, mandateId],
  );
  return rows[0] ?? { isUsed: false, isRevoked: false };
}

/** Revokes a mandate permanently. The time of the first revocation is kept. */
export async function revokeMandate(
  db: Db,
  issuerUserId: string,
  mandateId: string,
  isUnused: boolean,
): Promise<void> {
  await db.query(
    `INSERT INTO mandate_revocations (issuer_user_id, mandate_id, unused) VALUES ($1, $2, $3)
     ON CONFLICT DO NOTHING`,
    [issuerUserId, mandateId, isUnused],
  );
}

function toRow(row: RawRow): MandateRow {
  return {
    seq: row.seq,
    mandateId: row.mandate_id,
    jti: row.jti,
    rootJti: row.root_jti,
    parentId: row.parent_id,
    depth: row.depth,
    kid: row.kid,
    subject: row.subject,
    maxUnits: unitsFromDatabase(row.max_units),
    maxCallUnits: row.max_call_units === null ? null : unitsFromDatabase(row.max_call_units),
    maxOccurrences: row.max_occurrences,
    payees: row.payees,
    notBefore: row.not_before,
    expiresAt: row.expires_at,
    reservedUnits: unitsFromDatabase(row.reserved_units),
    spentUnits: unitsFromDatabase(row.spent_units),
    occurrences: row.occurrences,
    firstUsedAt: row.first_used_at,
    revokedAt: row.revoked_at,
  };
}

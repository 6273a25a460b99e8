/** Deletions of accounts (`migrations/0154_account_deletions.sql`). */
import type { DeletionState, ErasurePart } from '../../domain/leaving/deletion';
import { onlyRow, type Db, uniqueViolation } from '../db';

export interface DeletionRow {
  deletionId: string;
  userId: string;
  /** The owner who asked for the deletion of an organisation; null for the account of a person. */
  requestedBy: string | null;
  state: DeletionState;
  forfeits: boolean;
  requestedAt: Date;
  /** When the mail asks for the confirmation. */
  confirmFrom: Date;
  confirmedAt: Date | null;
  /** Codes of what blocked it at the last look. */
  blockedBy: string[];
  endedAt: Date | null;
  /** When backups from before the deletion have ended; null until it is erased. */
  goneBy: Date | null;
}

const COLUMNS = `deletion_id AS "deletionId", user_id AS "userId", requested_by AS "requestedBy", state, forfeits, requested_at AS "requestedAt",
  confirm_from AS "confirmFrom", confirmed_at AS "confirmedAt", blocked_by AS "blockedBy", ended_at AS "endedAt",
  gone_by AS "goneBy"`;
const OPEN = `state NOT IN ('erased', 'withdrawn', 'lapsed')`;

/** What blocks the deletion of an account. */
export async function readBlocks(db: Db, userId: string, forfeits: boolean): Promise<string[]> {
  const result = await db.query<{ blocks: string[] }>('SELECT account_delete_blocks($1, $2) AS blocks', [
    userId,
    forfeits,
  ]);
  return onlyRow(result).blocks;
}

/** Adds a deletion of an account. Undefined if one is open. */
export async function insertDeletion(
  tx: Db,
  deletion: {
    deletionId: string;
    userId: string;
    forfeits: boolean;
    requestedBy: string | null;
    windowMs: number;
  },
): Promise<DeletionRow | undefined> {
  try {
    const { rows } = await tx.query<DeletionRow>(
      `INSERT INTO account_deletions (deletion_id, user_id, forfeits, requested_by, confirm_from)
       VALUES ($1, $2, $3, $4, now() + $5 * interval '1 ms') RETURNING ${COLUMNS}`,
      [deletion.deletionId, deletion.userId, deletion.forfeits, deletion.requestedBy, deletion.windowMs],
    );
    return rows[0];
  } catch (error) {
    if (uniqueViolation(error) === 'account_deletions_open') return undefined;
    throw error;
  }
}

/** The open deletion of an account; undefined without one. */
export async function readOpenDeletion(db: Db, userId: string): Promise<DeletionRow | undefined> {
  const { rows } = await db.query<DeletionRow>(
    `SELECT ${COLUMNS} FROM account_deletions WHERE user_id = $1 AND ${OPEN}`,
    [userId],
  );
  return rows[0];
}

/** Reads a deletion and locks it until the transaction ends. */
export async function lockDeletion(tx: Db, deletionId: string): Promise<DeletionRow | undefined> {
  const { rows } = await tx.query<DeletionRow>(
    `SELECT ${COLUMNS} FROM account_deletions WHERE deletion_id = $1 FOR UPDATE`,
    [deletionId],
  );
  return rows[0];
}

/** Moves a deletion from one of some states. Undefined if it is in none of them. */
export async function moveDeletion(
  tx: Db,
  deletionId: string,
  from: readonly DeletionState[],
  to: DeletionState,
): Promise<DeletionRow | undefined> {
  const { rows } = await tx.query<DeletionRow>(
    `UPDATE account_deletions SET state = $3,
            confirmed_at = CASE $3 WHEN 'confirmed' THEN now() ELSE confirmed_at END,
            blocked_by = CASE WHEN $3 = 'erasing' THEN '{}' ELSE blocked_by END,
            erasing_at = CASE WHEN $3 = 'erasing' THEN now() ELSE erasing_at END,
            ended_at = CASE WHEN $3 IN ('withdrawn', 'lapsed') THEN now() END
      WHERE deletion_id = $1 AND state = ANY ($2) RETURNING ${COLUMNS}`,
    [deletionId, from, to],
  );
  return rows[0];
}

/** Records what blocks a deletion now. Returns whether that is news. */
export async function setBlocks(tx: Db, deletionId: string, blocks: readonly string[]): Promise<boolean> {
  const { rowCount } = await tx.query(
    'UPDATE account_deletions SET blocked_by = $2 WHERE deletion_id = $1 AND blocked_by IS DISTINCT FROM $2',
    [deletionId, blocks],
  );
  return rowCount === 1;
}

/** Erases a batch of a part of an account's data. Returns where the next one begins; null when the part is done. */
export async function erasePart(
  db: Db,
  userId: string,
  part: ErasurePart,
  after: string,
  most: number,
): Promise<string | null> {
  const result = await db.query<{ next: string | null }>('SELECT account_erase($1, $2, $3, $4) AS next', [
    userId,
    part,
    after,
    most,
  ]);
  return onlyRow(result).next;
}

/** Ends a deletion whose parts are all erased. */
export async function finishDeletion(tx: Db, deletionId: string, goneInDays: number): Promise<void> {
  await tx.query(
    `UPDATE account_deletions SET state = 'erased', ended_at = now(), blocked_by = '{}',
            gone_by = now() + $2 * interval '1 day' WHERE deletion_id = $1 AND state = 'erasing'`,
    [deletionId, goneInDays],
  );
}

/** Locks agents of an account that are not retired, up to `most`. */
export async function lockUnretired(tx: Db, userId: string, most: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT agent_id AS id FROM agents WHERE developer_user_id = $1 AND status <> 'retired' ORDER BY agent_id
      LIMIT $2 FOR UPDATE`,
    [userId, most],
  );
  return rows.map(({ id }) => id);
}

/** Notes the organisations whose memberships end with the account. */
export async function noteLeft(tx: Db, deletionId: string, orgIds: readonly string[]): Promise<void> {
  await tx.query('UPDATE account_deletions SET left_organisations = $2 WHERE deletion_id = $1', [
    deletionId,
    orgIds,
  ]);
}

/** How many mails to an account wait to be sent. */
export async function countWaitingMails(db: Db, userId: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    `SELECT (SELECT count(*) FROM security_mails WHERE recipient = $1 AND due_at IS NOT NULL)::int
          + (SELECT count(*) FROM mails WHERE recipient = $1 AND due_at IS NOT NULL)::int AS n`,
    [userId],
  );
  return rows[0]?.n ?? 0;
}

/** Deletions as operators list them, newest first. */
export async function listDeletions(
  db: Db,
  { state, beforeId, limit }: { state?: string | undefined; beforeId?: string | undefined; limit: number },
): Promise<{ rows: DeletionRow[]; total: number }> {
  const { rows } = await db.query<DeletionRow>(
    `SELECT ${COLUMNS} FROM account_deletions WHERE ($1::text IS NULL OR state = $1)
        AND ($2::text IS NULL OR deletion_id < $2) ORDER BY deletion_id DESC LIMIT $3`,
    [state ?? null, beforeId ?? null, limit],
  );
  const counted = await db.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM (SELECT FROM account_deletions WHERE $1::text IS NULL OR state = $1 LIMIT 1000) d`,
    [state ?? null],
  );
  return { rows, total: counted.rows[0]?.total ?? 0 };
}

/** Takes open deletions whose workflow was not confirmed lately, or never. */
export async function claimUnconfirmedDeletions(
  db: Db,
  limit: number,
  confirmedForMs: number,
): Promise<DeletionRow[]> {
  const { rows } = await db.query<DeletionRow>(
    `UPDATE account_deletions SET workflow_started_at = now() WHERE deletion_id = ANY (ARRAY (
       SELECT deletion_id FROM account_deletions WHERE ${OPEN}
         AND coalesce(workflow_started_at, '-infinity') < now() - $2 * interval '1 millisecond'
       ORDER BY coalesce(workflow_started_at, '-infinity') LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING ${COLUMNS}`,
    [limit, confirmedForMs],
  );
  return rows;
}

export async function markDeletionStarted(db: Db, deletionId: string): Promise<void> {
  await db.query('UPDATE account_deletions SET workflow_started_at = now() WHERE deletion_id = $1', [
    deletionId,
  ]);
}

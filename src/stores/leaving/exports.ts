/** Exports of accounts and the parts of their archives (`migrations/0153_account_exports.sql`). */
import { MOST_EXPORTS_A_DAY, type ExportState } from '../../domain/leaving/export';
import { type Db, uniqueViolation } from '../db';

export interface ExportRow {
  exportId: string;
  userId: string;
  state: ExportState;
  requestedAt: Date;
  /** The time of the snapshot that the archive contains; null before. */
  snapshotAt: Date | null;
  endedAt: Date | null;
  expiresAt: Date | null;
  bytes: number | null;
  rows: number | null;
  sha256: string | null;
}

const COLUMNS = `export_id AS "exportId", user_id AS "userId", state, requested_at AS "requestedAt",
  snapshot_at AS "snapshotAt", ended_at AS "endedAt", expires_at AS "expiresAt", bytes::float8 AS bytes,
  rows::float8 AS rows, sha256`;

/** Why an export was not added. */
export type ExportRefusal = 'one_is_open' | 'too_many';

/** Adds an export of an account, unless one is open or it requested too many within 24 hours. */
export async function insertExport(
  db: Db,
  exportId: string,
  userId: string,
): Promise<ExportRow | ExportRefusal> {
  try {
    const { rows } = await db.query<ExportRow>(
      `INSERT INTO account_exports (export_id, user_id) SELECT $1, $2
        WHERE (SELECT count(*) FROM (SELECT FROM account_exports e WHERE e.user_id = $2
                AND e.requested_at > now() - interval '24 hours' ORDER BY e.export_id DESC
                LIMIT ${MOST_EXPORTS_A_DAY}) recent) < ${MOST_EXPORTS_A_DAY}
       RETURNING ${COLUMNS}`,
      [exportId, userId],
    );
    return rows[0] ?? 'too_many';
  } catch (error) {
    if (uniqueViolation(error) === 'account_exports_open') return 'one_is_open';
    throw error;
  }
}

/** The exports of an account, the newest first. */
export async function listExports(
  db: Db,
  userId: string,
  { beforeId, limit }: { beforeId?: string | undefined; limit: number },
): Promise<{ rows: ExportRow[]; total: number }> {
  const { rows } = await db.query<ExportRow>(
    `SELECT ${COLUMNS} FROM account_exports WHERE user_id = $1 AND ($2::text IS NULL OR export_id < $2)
      ORDER BY export_id DESC LIMIT $3`,
    [userId, beforeId ?? null, limit],
  );
  const counted = await db.query<{ total: number }>(
    'SELECT count(*)::int AS total FROM (SELECT FROM account_exports WHERE user_id = $1 LIMIT 1000) e',
    [userId],
  );
  return { rows, total: counted.rows[0]?.total ?? 0 };
}

export async function readExport(db: Db, exportId: string): Promise<ExportRow | undefined> {
  const { rows } = await db.query<ExportRow>(`SELECT ${COLUMNS} FROM account_exports WHERE export_id = $1`, [
    exportId,
  ]);
  return rows[0];
}

/** Begins an attempt to write the archive. Undefined if the export has ended; otherwise its number and its account. */
export async function beginAttempt(
  db: Db,
  exportId: string,
): Promise<{ userId: string; attempt: number } | undefined> {
  const { rows } = await db.query<{ userId: string; attempt: number }>(
    `UPDATE account_exports SET state = 'running', attempt = attempt + 1
      WHERE export_id = $1 AND state IN ('waiting', 'running') RETURNING user_id AS "userId", attempt`,
    [exportId],
  );
  return rows[0];
}

/** Deletes up to `most` parts of an export. Returns how many. */
export async function deleteParts(db: Db, exportId: string, most: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM account_export_parts WHERE part_id = ANY (ARRAY (
       SELECT part_id FROM account_export_parts WHERE export_id = $1 LIMIT $2))`,
    [exportId, most],
  );
  return rowCount ?? 0;
}

/** Adds a part of the archive. Returns false if another attempt has begun or the export has ended. */
export async function insertPart(
  db: Db,
  {
    exportId,
    attempt,
    number,
    sealed,
  }: { exportId: string; attempt: number; number: number; sealed: Buffer },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO account_export_parts (export_id, number, sealed) SELECT e.export_id, $3, $4 FROM account_exports e
      WHERE e.export_id = $1 AND e.attempt = $2 AND e.state = 'running' FOR SHARE OF e`,
    [exportId, attempt, number, sealed],
  );
  return rowCount === 1;
}

export interface WrittenExport {
  exportId: string;
  attempt: number;
  snapshotAt: Date;
  bytes: number;
  rows: number;
  sha256: string;
}

/** Makes the archive of an attempt ready for download. Returns false if it is no longer the newest attempt. */
export async function finishExport(tx: Db, written: WrittenExport, validDays: number): Promise<boolean> {
  const { exportId, attempt, snapshotAt, bytes, rows, sha256 } = written;
  const { rowCount } = await tx.query(
    `UPDATE account_exports SET state = 'ready', ended_at = now(), expires_at = now() + $7 * interval '1 day',
            snapshot_at = $3, bytes = $4, rows = $5, sha256 = $6
      WHERE export_id = $1 AND attempt = $2 AND state = 'running'`,
    [exportId, attempt, snapshotAt, bytes, rows, sha256, validDays],
  );
  return rowCount === 1;
}

/** Ends an export that could not be written. Returns its account; undefined if it had ended. */
export async function failExport(tx: Db, exportId: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ userId: string }>(
    `UPDATE account_exports SET state = 'failed', ended_at = now()
      WHERE export_id = $1 AND state IN ('waiting', 'running') RETURNING user_id AS "userId"`,
    [exportId],
  );
  return rows[0]?.userId;
}

/** A part of a ready archive that has not expired; undefined behind the last one. */
export async function readPart(db: Db, exportId: string, number: number): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ sealed: Buffer }>(
    `SELECT p.sealed FROM account_export_parts p JOIN account_exports e ON e.export_id = p.export_id
      WHERE p.export_id = $1 AND p.number = $2 AND e.state = 'ready' AND e.expires_at > now()`,
    [exportId, number],
  );
  return rows[0]?.sealed;
}

/** Marks up to `most` ready exports whose time is over. Their parts are deleted afterwards. */
export async function expireExports(db: Db, most: number): Promise<number> {
  const { rowCount } = await db.query(
    `UPDATE account_exports SET state = 'expired' WHERE export_id = ANY (ARRAY (SELECT export_id FROM account_exports
       WHERE state = 'ready' AND expires_at <= now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    [most],
  );
  return rowCount ?? 0;
}

/**
 * Deletes up to `most` parts of the oldest export that failed or expired and has some. Returns whether there was one.
 * An export whose parts are gone is not looked at again.
 */
export async function purgeParts(tx: Db, most: number): Promise<boolean> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT export_id AS id FROM account_exports WHERE state IN ('failed', 'expired') AND parts_gone_at IS NULL
      ORDER BY ended_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
  );
  const [ended] = rows;
  if (!ended) return false;
  if ((await deleteParts(tx, ended.id, most)) < most)
    await tx.query('UPDATE account_exports SET parts_gone_at = now() WHERE export_id = $1', [ended.id]);
  return true;
}

/** Takes open exports whose workflow was not confirmed lately, or never. */
export async function claimUnconfirmedExports(
  db: Db,
  limit: number,
  confirmedForMs: number,
): Promise<ExportRow[]> {
  const { rows } = await db.query<ExportRow>(
    `UPDATE account_exports SET workflow_started_at = now() WHERE export_id = ANY (ARRAY (
       SELECT export_id FROM account_exports WHERE state IN ('waiting', 'running')
         AND coalesce(workflow_started_at, '-infinity') < now() - $2 * interval '1 millisecond'
       ORDER BY coalesce(workflow_started_at, '-infinity') LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING ${COLUMNS}`,
    [limit, confirmedForMs],
  );
  return rows;
}

export async function markExportStarted(db: Db, exportId: string): Promise<void> {
  await db.query('UPDATE account_exports SET workflow_started_at = now() WHERE export_id = $1', [exportId]);
}

/** The files for banks, and the payouts in them. */
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { FileMethod } from '../../domain/payouts/rails';
import { onlyRow, type Db } from '../db';
import { type PayoutRow, type RawPayout, toPayout } from './payouts';

export interface FilePayout extends PayoutRow {
  sealed: Buffer;
}

/** Lists the payouts of a file, or the pending ones for it, in the order of the file, with the payment details. */
export async function listForFile(
  db: Db,
  file: { fileId: string; method: FileMethod; asOf: Date; attempt: number },
): Promise<FilePayout[]> {
  const { rows } = await db.query<RawPayout & { sealed: Buffer }>(
    `SELECT p.*, m.sealed FROM payouts p JOIN payout_methods m USING (method_id)
     WHERE p.as_of = $1 AND p.attempt = $2 AND p.method = $3
       AND (p.file_id = $4 OR (p.status = 'pending' AND p.file_id IS NULL)) ORDER BY p.payout_id`,
    [file.asOf, file.attempt, file.method, file.fileId],
  );
  return rows.map((row) => ({ ...toPayout(row), sealed: row.sealed }));
}

export interface NewPayoutFile {
  fileId: string;
  method: FileMethod;
  asOf: Date;
  attempt: number;
  name: string;
  payoutIds: readonly string[];
  totalMinor: number;
  currency: string;
  sha256: string;
  sealed: Buffer;
}

/** Writes a file and assigns its payouts. Returns the SHA-256 of the file that was written first. */
export async function writePayoutFile(db: Db, file: NewPayoutFile): Promise<string> {
  const result = await db.query<{ sha256: string }>(
    'SELECT payout_file_write($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS sha256',
    [
      file.fileId,
      file.method,
      file.asOf,
      file.attempt,
      file.name,
      file.payoutIds,
      file.totalMinor,
      file.currency,
      file.sha256,
      file.sealed,
    ],
  );
  return onlyRow(result).sha256;
}

export interface PayoutFileRow {
  fileId: string;
  method: FileMethod;
  asOf: Date;
  attempt: number;
  name: string;
  payouts: number;
  totalMinor: number;
  currency: string;
  sha256: string;
  sealed: Buffer;
  createdAt: Date;
}

export async function readPayoutFile(db: Db, fileId: string): Promise<PayoutFileRow | undefined> {
  const { rows } = await db.query<RawFile>('SELECT * FROM payout_files WHERE file_id = $1', [fileId]);
  return rows[0] && toFile(rows[0]);
}

/** Lists up to `limit` payouts of a file that are not settled. */
export async function listUnsettled(db: Db, fileId: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ payout_id: string }>(
    `SELECT payout_id FROM payouts WHERE file_id = $1 AND status = 'processing' ORDER BY payout_id LIMIT $2`,
    [fileId, limit],
  );
  return rows.map((row) => row.payout_id);
}

interface RawFile {
  file_id: string;
  method: FileMethod;
  as_of: Date;
  attempt: number;
  name: string;
  payouts: number;
  total_minor: string;
  currency: string;
  sha256: string;
  sealed: Buffer;
  created_at: Date;
}

function toFile(row: RawFile): PayoutFileRow {
  return {
    fileId: row.file_id,
    method: row.method,
    asOf: row.as_of,
    attempt: row.attempt,
    name: row.name,
    payouts: row.payouts,
    totalMinor: unitsFromDatabase(row.total_minor),
    currency: row.currency,
    sha256: row.sha256,
    sealed: row.sealed,
    createdAt: row.created_at,
  };
}

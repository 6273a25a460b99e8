import { type Db, onlyRow } from '../db';

/** Bytes that are to be kept for an account. */
export interface BytesToKeep {
  userId: string;
  /** They come from a call that costs nothing. */
  isFree: boolean;
  bytes: number;
  ttlMs: number;
}

/**
 * Counts bytes that are to be kept. Returns false, and counts nothing, if the account has as many stored as its quota
 * for free or for paid calls.
 */
export async function countStoredBytes(
  db: Db,
  { userId, isFree, bytes, ttlMs }: BytesToKeep,
  quota: number,
): Promise<boolean> {
  const result = await db.query<{ kept: boolean }>({
    name: 'stored-bytes-keep',
    text: `SELECT stored_bytes_keep($1, $2, $3, now() + $4 * interval '1 millisecond', $5) AS kept`,
    values: [userId, isFree, bytes, ttlMs, quota],
  });
  return onlyRow(result).kept;
}

/** The bytes that are stored for an account, of free and of paid calls. */
export async function readStoredBytes(db: Db, userId: string): Promise<{ free: number; paid: number }> {
  const result = await db.query<{ free: string; paid: string }>({
    name: 'stored-bytes',
    text: 'SELECT free, paid FROM stored_bytes_of($1)',
    values: [userId],
  });
  const { free, paid } = onlyRow(result);
  return { free: Number(free), paid: Number(paid) };
}

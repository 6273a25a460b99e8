/** Authenticator apps and recovery codes of accounts (`migrations/0001_accounts.sql`). */
import type { Db } from '../db';

/** Stores the encrypted secret of an authenticator that is being enrolled, instead of an earlier one. */
export async function putAuthenticator(db: Db, userId: string, sealed: Buffer): Promise<void> {
  await db.query(
    `INSERT INTO authenticators (user_id, sealed) VALUES ($1, $2)
     ON CONFLICT (user_id) DO UPDATE SET sealed = excluded.sealed, last_step = 0, created_at = now()`,
    [userId, sealed],
  );
}

export async function readAuthenticator(db: Db, userId: string): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ sealed: Buffer }>(
    'SELECT sealed FROM authenticators WHERE user_id = $1',
    [userId],
  );
  return rows[0]?.sealed;
}

/** Uses the code of a time step up. Returns false if it, or a later one, was used before. */
export async function useStep(db: Db, userId: string, step: number): Promise<boolean> {
  const { rowCount } = await db.query(
    'UPDATE authenticators SET last_step = $2 WHERE user_id = $1 AND last_step < $2',
    [userId, step],
  );
  return rowCount === 1;
}

export async function deleteAuthenticator(tx: Db, userId: string): Promise<void> {
  await tx.query('DELETE FROM recovery_codes WHERE user_id = $1', [userId]);
  await tx.query('DELETE FROM authenticators WHERE user_id = $1', [userId]);
}

/** Replaces the recovery codes of an account; `hashes` are their SHA-256. */
export async function replaceRecoveryCodes(tx: Db, userId: string, hashes: readonly Buffer[]): Promise<void> {
  await tx.query('DELETE FROM recovery_codes WHERE user_id = $1', [userId]);
  await tx.query('INSERT INTO recovery_codes (sha256, user_id) SELECT h, $1 FROM unnest($2::bytea[]) h', [
    userId,
    hashes,
  ]);
}

/** Uses a recovery code up. Returns false if the account has no such code. */
export async function consumeRecoveryCode(tx: Db, userId: string, sha256: Buffer): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM recovery_codes WHERE user_id = $1 AND sha256 = $2', [
    userId,
    sha256,
  ]);
  return rowCount === 1;
}

export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM recovery_codes WHERE user_id = $1',
    [userId],
  );
  return rows[0]?.n ?? 0;
}

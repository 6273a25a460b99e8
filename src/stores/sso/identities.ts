/** Logins on their way at a provider, and the accounts of its subjects (`migrations/0147_single_sign_on.sql`). */
import type { Db } from '../db';

export interface Attempt {
  stateSha256: Buffer;
  browserSha256: Buffer;
  providerId: string;
  returnTo: string;
}

/** Attempts that have expired and that one new attempt deletes: a flood leaves no more rows than ten minutes of it. */
const PURGED = 20;

export async function insertAttempt(db: Db, attempt: Attempt, validMs: number): Promise<void> {
  await db.query(
    `WITH expired AS (DELETE FROM sso_attempts WHERE state_sha256 = ANY (ARRAY (SELECT state_sha256 FROM sso_attempts
       WHERE expires_at < now() ORDER BY expires_at LIMIT ${PURGED})))
     INSERT INTO sso_attempts (state_sha256, browser_sha256, provider_id, return_to, expires_at)
     VALUES ($1, $2, $3, $4, now() + $5 * interval '1 ms')`,
    [attempt.stateSha256, attempt.browserSha256, attempt.providerId, attempt.returnTo, validMs],
  );
}

/** Uses up an attempt of a browser. Returns undefined if it was used, has expired, or is another browser's. */
export async function consumeAttempt(
  db: Db,
  { stateSha256, browserSha256, providerId }: Omit<Attempt, 'returnTo'>,
): Promise<{ returnTo: string } | undefined> {
  const { rows } = await db.query<{ returnTo: string }>(
    `DELETE FROM sso_attempts WHERE state_sha256 = $1 AND browser_sha256 = $2 AND provider_id = $3 AND expires_at > now()
     RETURNING return_to AS "returnTo"`,
    [stateSha256, browserSha256, providerId],
  );
  return rows[0];
}

/** The account of a subject. */
export async function findIdentity(
  db: Db,
  providerId: string,
  subject: string,
): Promise<{ userId: string } | undefined> {
  const { rows } = await db.query<{ userId: string }>(
    'SELECT user_id AS "userId" FROM sso_identities WHERE provider_id = $1 AND subject = $2',
    [providerId, subject],
  );
  return rows[0];
}

/** Fixes the account of a subject. Returns false if the subject or the account has another one. */
export async function insertIdentity(
  tx: Db,
  row: { providerId: string; subject: string; userId: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    'INSERT INTO sso_identities (provider_id, subject, user_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [row.providerId, row.subject, row.userId],
  );
  return rowCount === 1;
}

/** Credentials besides sessions that end with a change of password: a thief may have created them to return. */
import type { Db } from '../db';

export interface EndedAccess {
  /** API keys, also those of devices. */
  keys: boolean;
  /** OAuth grants with their tokens. */
  grants: boolean;
}

/**
 * Ends tokens of mails that reset the password or log in, and logins of devices that the person approved, also for an
 * organisation, and that wait for their key.
 */
export async function endOpenEntries(tx: Db, userId: string): Promise<void> {
  await tx.query(`DELETE FROM mail_tokens WHERE user_id = $1 AND purpose IN ('reset_password', 'log_in')`, [
    userId,
  ]);
  await tx.query('DELETE FROM oauth_devices WHERE user_id = $1 OR approved_by = $1', [userId]);
}

/** Ends keys and grants of an account, and those that its person made for organisations. */
export async function endAccess(tx: Db, userId: string, { keys, grants }: EndedAccess): Promise<void> {
  const kinds = [...(keys ? ['key'] : []), ...(grants ? ['oauth'] : [])];
  if (kinds.length === 0) return;
  await tx.query(
    `WITH ended AS (
       UPDATE api_keys SET deleted_at = now()
        WHERE (user_id = $1 OR created_by = $1) AND kind = ANY ($2) AND deleted_at IS NULL
       RETURNING key_id),
     secrets AS (DELETE FROM api_key_secrets s USING ended WHERE s.key_id = ended.key_id)
     DELETE FROM oauth_secrets s USING oauth_grants g JOIN ended USING (key_id) WHERE s.grant_id = g.grant_id`,
    [userId, kinds],
  );
}

/** How many keys and grants of an account, and of its person for organisations, are in use. */
export async function countAccess(db: Db, userId: string): Promise<{ keys: number; grants: number }> {
  const { rows } = await db.query<{ keys: number; grants: number }>(
    `SELECT count(*) FILTER (WHERE kind = 'key')::int AS keys, count(*) FILTER (WHERE kind = 'oauth')::int AS grants
       FROM api_keys WHERE (user_id = $1 OR created_by = $1) AND deleted_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
    [userId],
  );
  return rows[0] ?? { keys: 0, grants: 0 };
}

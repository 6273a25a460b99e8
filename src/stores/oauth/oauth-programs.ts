import type { ApiScope } from '../../domain/accounts/api-key';
import type { Db } from '../db';

/** A program whose secret is right, with its live grant. */
export interface ProgramRow {
  grantId: string;
  /** Null for the market. */
  agentId: string | null;
  scopes: ApiScope[];
}

export async function insertProgram(tx: Db, grantId: string, secretSha256: Buffer): Promise<void> {
  await tx.query('INSERT INTO oauth_programs (grant_id, secret_sha256) VALUES ($1, $2)', [
    grantId,
    secretSha256,
  ]);
}

/** Finds the program of a client id by its secret, if its grant is neither revoked nor expired. */
export async function findProgram(
  db: Db,
  clientId: string,
  secretSha256: Buffer,
): Promise<ProgramRow | undefined> {
  const { rows } = await db.query<{ grant_id: string; agent_id: string | null; scopes: ApiScope[] }>({
    name: 'oauth-program',
    text: `SELECT g.grant_id, g.agent_id, k.scopes
             FROM oauth_grants g JOIN oauth_programs p USING (grant_id) JOIN api_keys k USING (key_id)
            WHERE g.client_id = $1 AND (p.secret_sha256 = $2 OR (p.old_sha256 = $2 AND p.old_ends_at > now()))
              AND k.deleted_at IS NULL AND k.expires_at > now()`,
    values: [clientId, secretSha256],
  });
  const row = rows[0];
  return row && { grantId: row.grant_id, agentId: row.agent_id, scopes: row.scopes };
}

/**
 * Gives the program of a live grant of an account another secret, and its grant a new end. The old secret is valid for
 * `graceSeconds` more. Returns false if there is no such program.
 */
export async function rotateProgram(
  tx: Db,
  { userId, grantId }: { userId: string; grantId: string },
  change: { secretSha256: Buffer; graceSeconds: number; lifeSeconds: number },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `WITH live AS (
       UPDATE api_keys k SET expires_at = now() + $5 * interval '1 second' FROM oauth_grants g
        WHERE g.grant_id = $2 AND g.user_id = $1 AND k.key_id = g.key_id AND k.deleted_at IS NULL
          AND k.expires_at > now() AND EXISTS (SELECT FROM oauth_programs p WHERE p.grant_id = g.grant_id)
        RETURNING g.grant_id)
     UPDATE oauth_programs p SET secret_sha256 = $3,
            old_sha256 = CASE WHEN $4 > 0 THEN p.secret_sha256 END,
            old_ends_at = CASE WHEN $4 > 0 THEN now() + $4 * interval '1 second' END
       FROM live WHERE p.grant_id = live.grant_id`,
    [userId, grantId, change.secretSha256, change.graceSeconds, change.lifeSeconds],
  );
  return rowCount === 1;
}

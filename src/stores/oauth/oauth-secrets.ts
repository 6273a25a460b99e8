import type { ApiScope } from '../../domain/accounts/api-key';
import type { KeyCallerRow } from '../accounts/api-keys';
import type { Db } from '../db';

export type SecretKind = 'code' | 'access' | 'refresh';

export interface NewSecret {
  sha256: Buffer;
  kind: SecretKind;
  grantId: string;
  scopes: readonly ApiScope[];
  lifetimeSeconds: number;
  /** Of a code only. */
  redirectUri?: string;
  codeChallenge?: string;
}

/** A code or token with its live grant. */
export interface SecretRow {
  grantId: string;
  userId: string;
  clientId: string;
  /** Null for the market. */
  agentId: string | null;
  scopes: ApiScope[];
  redirectUri: string | null;
  codeChallenge: string | null;
  expiresAt: Date;
  /** Seconds since the first use; null if it was not used. */
  usedForSeconds: number | null;
}

/** Stores a code or token. One that is stored already stays as it is. */
export async function insertSecret(tx: Db, secret: NewSecret): Promise<void> {
  await tx.query(
    `INSERT INTO oauth_secrets (sha256, kind, grant_id, scopes, redirect_uri, code_challenge, expires_at, purge_at)
     VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 second', now() + $7 * interval '1 second')
     ON CONFLICT (sha256) DO NOTHING`,
    [
      secret.sha256,
      secret.kind,
      secret.grantId,
      secret.scopes,
      secret.redirectUri ?? null,
      secret.codeChallenge ?? null,
      secret.lifetimeSeconds,
    ],
  );
}

/** Finds a code or token of a grant that is neither revoked nor expired. */
export async function findSecret(
  db: Db,
  sha256: Buffer,
  kinds: readonly SecretKind[],
): Promise<(SecretRow & { kind: SecretKind }) | undefined> {
  const { rows } = await db.query<RawSecret>(
    `SELECT s.kind, s.grant_id, g.user_id, g.client_id, g.agent_id, s.scopes, s.redirect_uri, s.code_challenge,
            s.expires_at, extract(epoch FROM now() - s.used_at)::float8 AS used_for_seconds
       FROM oauth_secrets s JOIN oauth_grants g USING (grant_id) JOIN api_keys k USING (key_id)
      WHERE s.sha256 = $1 AND s.kind = ANY ($2) AND k.deleted_at IS NULL AND k.expires_at > now()`,
    [sha256, kinds],
  );
  const row = rows[0];
  return (
    row && {
      kind: row.kind,
      grantId: row.grant_id,
      userId: row.user_id,
      clientId: row.client_id,
      agentId: row.agent_id,
      scopes: row.scopes,
      redirectUri: row.redirect_uri,
      codeChallenge: row.code_challenge,
      expiresAt: row.expires_at,
      usedForSeconds: row.used_for_seconds,
    }
  );
}

interface RawSecret {
  kind: SecretKind;
  grant_id: string;
  user_id: string;
  client_id: string;
  agent_id: string | null;
  scopes: ApiScope[];
  redirect_uri: string | null;
  code_challenge: string | null;
  expires_at: Date;
  used_for_seconds: number | null;
}

/**
 * Marks a code or refresh token as used, once. Returns false if it was used before, also by a concurrent request. The
 * row stays for `keepSeconds`.
 */
export async function useSecret(db: Db, sha256: Buffer, keepSeconds: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE oauth_secrets SET used_at = now(), purge_at = now() + $2 * interval '1 second'
      WHERE sha256 = $1 AND used_at IS NULL`,
    [sha256, keepSeconds],
  );
  return rowCount === 1;
}

/**
 * Uses a refresh token, or uses it again within `graceSeconds` of its first use. Returns the key from which its
 * successor is computed: `newKey` at the first use, and the same one again within the grace. Returns undefined after
 * the grace. Locks the row, so that concurrent uses come one after another.
 */
export async function useRefreshSecret(
  tx: Db,
  sha256: Buffer,
  use: { newKey: Buffer; keepSeconds: number; graceSeconds: number },
): Promise<Buffer | undefined> {
  const { rows } = await tx.query<{ successor_key: Buffer }>(
    `UPDATE oauth_secrets
        SET used_at = coalesce(used_at, now()), successor_key = coalesce(successor_key, $2),
            purge_at = CASE WHEN used_at IS NULL THEN now() + $3 * interval '1 second' ELSE purge_at END
      WHERE sha256 = $1 AND (used_at IS NULL OR used_at > now() - $4 * interval '1 second')
      RETURNING successor_key`,
    [sha256, use.newKey, use.keepSeconds, use.graceSeconds],
  );
  return rows[0]?.successor_key;
}

/** The key from which the successor of a used refresh token is computed; undefined if the token was not used. */
export async function findSuccessorKey(tx: Db, sha256: Buffer): Promise<Buffer | undefined> {
  const { rows } = await tx.query<{ successor_key: Buffer | null }>(
    'SELECT successor_key FROM oauth_secrets WHERE sha256 = $1 AND used_at IS NOT NULL',
    [sha256],
  );
  return rows[0]?.successor_key ?? undefined;
}

export async function deleteSecret(db: Db, sha256: Buffer): Promise<void> {
  await db.query('DELETE FROM oauth_secrets WHERE sha256 = $1', [sha256]);
}

/** Deletes up to `limit` codes and tokens whose time is over. Returns how many. */
export async function purgeSecrets(db: Db, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM oauth_secrets WHERE sha256 IN (
       SELECT sha256 FROM oauth_secrets WHERE purge_at < now() ORDER BY purge_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [limit],
  );
  return rowCount ?? 0;
}

/**
 * Finds the caller of a valid access token for the endpoint of an agent, or of the market (null), with the scopes of
 * the token. The token of another endpoint, and one of a grant that was revoked or has expired, is not found.
 */
export async function findTokenCaller(
  db: Db,
  sha256: Buffer,
  { agentId, orMarket }: { agentId: string | null; orMarket: boolean },
): Promise<KeyCallerRow | undefined> {
  const { rows } = await db.query<KeyCallerRow>({
    name: 'oauth-token-with-user',
    text: `SELECT k.key_id, s.scopes, u.user_id, u.role, u.developer_id, u.registration_paid_at,
                  u.email_confirmed_at, u.authenticator_since, u.keep_days > 0 AS keeps_bodies,
                  k.created_by, u.kind = 'organisation' AS is_organisation, m.role AS member_role,
                  coalesce(k.last_used_at < now() - interval '1 minute', true) AS use_is_news
           FROM oauth_secrets s JOIN oauth_grants g USING (grant_id) JOIN api_keys k USING (key_id)
                JOIN users u ON u.user_id = k.user_id
                LEFT JOIN organisation_members m ON m.org_id = k.user_id AND m.user_id = k.created_by
           WHERE s.sha256 = $1 AND s.kind = 'access' AND s.expires_at > now()
             AND (g.agent_id IS NOT DISTINCT FROM $2 OR ($3 AND g.agent_id IS NULL))
             AND k.deleted_at IS NULL AND k.expires_at > now() AND (k.created_by IS NULL OR m.role IS NOT NULL)`,
    values: [sha256, agentId, orMarket],
  });
  return rows[0];
}

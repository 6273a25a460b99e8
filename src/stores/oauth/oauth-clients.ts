import type { Db } from '../db';

export interface OauthClientRow {
  clientId: string;
  name: string;
  redirectUris: string[];
}

/**
 * Stores a registered client, and deletes the oldest unused clients above `maxUnused`, so that registrations never
 * fill the table. At most 100 are deleted at a time.
 */
export async function insertClient(tx: Db, client: OauthClientRow, maxUnused: number): Promise<void> {
  await tx.query('INSERT INTO oauth_clients (client_id, name, redirect_uris) VALUES ($1, $2, $3)', [
    client.clientId,
    client.name,
    client.redirectUris,
  ]);
  await tx.query(
    `DELETE FROM oauth_clients WHERE used_at IS NULL AND client_id IN (
       SELECT client_id FROM oauth_clients WHERE used_at IS NULL
       ORDER BY created_at DESC, client_id OFFSET $1 LIMIT 100)`,
    [maxUnused],
  );
}

export async function findClient(db: Db, clientId: string): Promise<OauthClientRow | undefined> {
  const { rows } = await db.query<{ name: string; redirect_uris: string[] }>(
    'SELECT name, redirect_uris FROM oauth_clients WHERE client_id = $1',
    [clientId],
  );
  const row = rows[0];
  return row && { clientId, name: row.name, redirectUris: row.redirect_uris };
}

/** Notes that an account permitted the client something. */
export async function noteClientUse(tx: Db, clientId: string): Promise<void> {
  await tx.query('UPDATE oauth_clients SET used_at = now() WHERE client_id = $1', [clientId]);
}

/** Deletes up to `limit` clients that were never used, or not for a long time. Returns how many. */
export async function deleteIdleClients(
  db: Db,
  { unusedSeconds, usedSeconds, limit }: { unusedSeconds: number; usedSeconds: number; limit: number },
): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM oauth_clients WHERE client_id IN (
       (SELECT client_id FROM oauth_clients
         WHERE used_at IS NULL AND created_at < now() - $1 * interval '1 second' LIMIT $3)
       UNION ALL
       (SELECT client_id FROM oauth_clients WHERE used_at < now() - $2 * interval '1 second' LIMIT $3))`,
    [unusedSeconds, usedSeconds, limit],
  );
  return rowCount ?? 0;
}

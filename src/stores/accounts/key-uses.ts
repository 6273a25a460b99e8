import type { Db } from '../db';

/** Records uses of keys in one statement. A key whose row is locked is skipped; its next use is recorded. */
export async function noteUses(db: Db, uses: readonly { keyId: string; at: Date }[]): Promise<void> {
  await db.query({
    name: 'api-key-uses',
    text: `WITH used AS (SELECT key_id, at FROM unnest($1::text[], $2::timestamptz[]) u (key_id, at)),
                free AS (SELECT key_id FROM api_keys WHERE key_id = ANY ($1) ORDER BY key_id FOR NO KEY UPDATE SKIP LOCKED)
           UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, used.at)
           FROM used JOIN free USING (key_id) WHERE k.key_id = used.key_id`,
    values: [uses.map(({ keyId }) => keyId), uses.map(({ at }) => at)],
  });
}

/** The keys that sign requests to agents (`migrations/0098_request_keys.sql`). */
import type { Db } from '../db';

/** Key of pg_advisory_xact_lock: only one process at a time creates or retires a key. */
const LOCK_KEY = 7_203_013;

export interface NewRequestKey {
  /** RFC 7638 thumbprint. */
  kid: string;
  /** `x` of the public JWK. */
  publicX: string;
  sealedPrivate: Buffer;
}

export type RequestKeyRow = NewRequestKey & { createdAt: Date; retiredAt: Date | null };

export async function lockRequestKeys(tx: Db): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
}

/** The active key, then those that were retired less than `retiredMs` ago, the newest first. */
export async function listRequestKeys(db: Db, retiredMs: number): Promise<RequestKeyRow[]> {
  const { rows } = await db.query<RequestKeyRow>(
    `SELECT kid, public_x AS "publicX", sealed_private AS "sealedPrivate", created_at AS "createdAt",
       retired_at AS "retiredAt"
      FROM request_keys WHERE retired_at IS NULL OR retired_at > now() - $1 * interval '1 ms'
      ORDER BY retired_at DESC NULLS FIRST, kid`,
    [retiredMs],
  );
  return rows;
}

export async function retireRequestKey(tx: Db): Promise<void> {
  await tx.query('UPDATE request_keys SET retired_at = now() WHERE retired_at IS NULL');
}

export async function insertRequestKey(
  tx: Db,
  { kid, publicX, sealedPrivate }: NewRequestKey,
): Promise<void> {
  await tx.query('INSERT INTO request_keys (kid, public_x, sealed_private) VALUES ($1, $2, $3)', [
    kid,
    publicX,
    sealedPrivate,
  ]);
}

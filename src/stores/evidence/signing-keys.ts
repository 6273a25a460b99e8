import type { EcPublicJwk } from '../../kit/crypto/jws';
import type { Db } from '../db';

/** Key of pg_advisory_xact_lock: only one process at a time creates or retires a signing key. */
const LOCK_KEY = 7_203_002;

export interface NewSigningKey {
  kid: string;
  publicJwk: EcPublicJwk;
  sealedPrivate: Buffer;
}

export async function lockSigningKeys(tx: Db): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
}

/** The id of the active signing key; undefined before the first one is created. */
export async function readActiveKid(db: Db): Promise<string | undefined> {
  const { rows } = await db.query<{ kid: string }>('SELECT kid FROM signing_keys WHERE retired_at IS NULL');
  return rows[0]?.kid;
}

export async function readSealedPrivate(db: Db, kid: string): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ sealed_private: Buffer }>(
    'SELECT sealed_private FROM signing_keys WHERE kid = $1',
    [kid],
  );
  return rows[0]?.sealed_private;
}

/** Lists the public keys, including retired ones, newest first. */
export async function listPublicKeys(db: Db): Promise<{ kid: string; publicJwk: EcPublicJwk }[]> {
  const { rows } = await db.query<{ kid: string; public_jwk: EcPublicJwk }>(
    'SELECT kid, public_jwk FROM signing_keys ORDER BY created_at DESC, kid',
  );
  return rows.map((row) => ({ kid: row.kid, publicJwk: row.public_jwk }));
}

/** Retires the active key. Its public key stays available for verification. */
export async function retireActiveKey(tx: Db): Promise<void> {
  await tx.query('UPDATE signing_keys SET retired_at = now() WHERE retired_at IS NULL');
}

export async function insertSigningKey(tx: Db, key: NewSigningKey): Promise<void> {
  await tx.query('INSERT INTO signing_keys (kid, public_jwk, sealed_private) VALUES ($1, $2, $3)', [
    key.kid,
    JSON.stringify(key.publicJwk),
    key.sealedPrivate,
  ]);
}

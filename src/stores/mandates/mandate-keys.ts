import type { EcPublicJwk } from '../../kit/crypto/jws';
import type { Db } from '../db';

/** A public key that verifies an account's mandates. */
export interface MandateKeyRow {
  kid: string;
  publicJwk: EcPublicJwk;
  name: string | null;
  createdAt: Date;
}

interface RawRow {
  kid: string;
  public_jwk: EcPublicJwk;
  name: string | null;
  created_at: Date;
}

const COLUMNS = 'kid, public_jwk, name, created_at';

/**
 * Adds a key, unless the account already has it or has `most` keys. Takes a lock until the transaction ends, so call it
 * in a transaction.
 */
export async function insertMandateKey(
  tx: Db,
  userId: string,
  key: Pick<MandateKeyRow, 'kid' | 'publicJwk' | 'name'>,
  most: number,
): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('mandate-keys/' || $1, 0))`, [userId]);
  await tx.query(
    `INSERT INTO mandate_keys (user_id, kid, public_jwk, name)
     SELECT $1, $2, $3, $4 WHERE (SELECT count(*) FROM mandate_keys WHERE user_id = $1) < $5
     ON CONFLICT DO NOTHING`,
    [userId, key.kid, JSON.stringify(key.publicJwk), key.name, most],
  );
}

export async function readMandateKey(
  db: Db,
  userId: string,
  kid: string,
): Promise<MandateKeyRow | undefined> {
  const { rows } = await db.query<RawRow>({
    name: 'mandate-key',
    text: `SELECT ${COLUMNS} FROM mandate_keys WHERE user_id = $1 AND kid = $2`,
    values: [userId, kid],
  });
  return rows[0] && toRow(rows[0]);
}

/** Lists all keys, newest first; keys of the same millisecond are ordered by `kid`. */
export async function listMandateKeys(db: Db, userId: string): Promise<MandateKeyRow[]> {
  const { rows } = await db.query<RawRow>(
    `SELECT ${COLUMNS} FROM mandate_keys WHERE user_id = $1
      ORDER BY date_trunc('milliseconds', created_at) DESC, kid COLLATE "C"`,
    [userId],
  );
  return rows.map(toRow);
}

/** Returns false if the key does not exist. */
export async function deleteMandateKey(db: Db, userId: string, kid: string): Promise<boolean> {
  const result = await db.query('DELETE FROM mandate_keys WHERE user_id = $1 AND kid = $2', [userId, kid]);
  return result.rowCount === 1;
}

function toRow(row: RawRow): MandateKeyRow {
  return { kid: row.kid, publicJwk: row.public_jwk, name: row.name, createdAt: row.created_at };
}

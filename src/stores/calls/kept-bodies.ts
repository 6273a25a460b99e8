/** Inputs and outputs of calls that accounts keep (`migrations/0053_kept_bodies.sql`). */
import { onlyRow, type Db } from '../db';
import { placeOfIds } from '../months';

export type BodyPart = 'input' | 'output';

export interface NewBody {
  invocationId: string;
  buyerUserId: string;
  part: BodyPart;
  /** Null for a body that is too large to be kept. */
  sealed: Buffer | null;
}

/**
 * Keeps an encrypted body of a call. Returns false, and keeps nothing, if the account does not keep bodies any more,
 * has erased those of this call, or has as many bytes kept as `quota`.
 */
export async function addKeptBody(db: Db, body: NewBody, quota: number): Promise<boolean> {
  const { invocationId, buyerUserId, part, sealed } = body;
  const result = await db.query<{ kept: boolean }>({
    name: 'kept-body-add',
    text: 'SELECT kept_body_add($1, $2, $3, $4, $5) AS kept',
    values: [invocationId, buyerUserId, part, sealed, quota],
  });
  return onlyRow(result).kept;
}

export interface KeptRow {
  input: Buffer | null;
  output: Buffer | null;
  tooLarge: BodyPart[];
  expiresAt: Date;
}

/** What an account keeps of one of its calls; undefined if it keeps nothing, or has erased it. */
export async function readKeptBodies(
  db: Db,
  buyerUserId: string,
  invocationId: string,
): Promise<KeptRow | undefined> {
  const { rows } = await db.query<KeptRow>(
    `SELECT k.input, k.output, k.too_large AS "tooLarge", k.expires_at AS "expiresAt"
       FROM kept_bodies k JOIN users u ON u.user_id = k.buyer_user_id
      WHERE k.invocation_id = $1 AND k.buyer_user_id = $2 AND k.expires_at > now()
        AND k.kept_at >= coalesce(u.erase_kept_before, '-infinity')`,
    [invocationId, buyerUserId],
  );
  return rows[0];
}

/** The account that pays a call, and the digest of its input. */
export async function readBodyOwner(
  db: Db,
  invocationId: string,
): Promise<{ buyerUserId: string; inputSha256: string } | undefined> {
  const { rows } = await db.query<{ buyerUserId: string; inputSha256: string }>(
    `SELECT buyer_user_id AS "buyerUserId", input_sha256 AS "inputSha256"
       FROM ${placeOfIds([invocationId])}invocations WHERE invocation_id = $1`,
    [invocationId],
  );
  return rows[0];
}

/** For how many days an account keeps bodies; 0: not at all. */
export async function readKeepDays(db: Db, userId: string): Promise<number> {
  const result = await db.query<{ days: number }>('SELECT keep_days AS days FROM users WHERE user_id = $1', [
    userId,
  ]);
  return onlyRow(result).days;
}

export async function setKeepDays(db: Db, userId: string, days: number): Promise<void> {
  await db.query('UPDATE users SET keep_days = $2 WHERE user_id = $1', [userId, days]);
}

/** Makes everything that an account has kept until now unreadable; it is deleted afterwards. */
export async function markErased(db: Db, userId: string): Promise<void> {
  await db.query('UPDATE users SET erase_kept_before = now() WHERE user_id = $1', [userId]);
}

/**
 * Erases what is stored of the inputs and outputs of an account's calls: of one call, or of up to `most` of those that
 * `markErased` made unreadable. Returns how many calls had kept bodies.
 */
export async function eraseBodies(
  db: Db,
  userId: string,
  which: { invocationId: string } | { most: number },
): Promise<number> {
  const [id, most] = 'most' in which ? [null, which.most] : [which.invocationId, 1];
  const result = await db.query<{ erased: number }>('SELECT kept_bodies_erase($1, $2, $3) AS erased', [
    userId,
    id,
    most,
  ]);
  return onlyRow(result).erased;
}

/** Deletes bodies of up to `most` calls that have expired or were erased. Returns of how many. */
export async function purgeKeptBodies(db: Db, most: number): Promise<number> {
  const result = await db.query<{ purged: number }>('SELECT kept_bodies_purge($1) AS purged', [most]);
  return onlyRow(result).purged;
}

import { onlyRow, type Db } from '../db';

/** A row of `users`. */
export interface UserRow {
  user_id: string;
  email: string;
  password_hash: string;
  display_name: string;
  role: 'buyer' | 'developer' | 'operator';
  developer_id: string | null;
  registration_paid_at: Date | null;
  /** Null until the address is confirmed. */
  email_confirmed_at: Date | null;
  /** The address that takes the place of `email` when it is confirmed; null while none is asked for. */
  pending_email: string | null;
  /** When an authenticator app was enrolled; null if the account has none. */
  authenticator_since: Date | null;
  /** IANA name of the zone in which days, weeks and months of budgets begin. */
  time_zone: string;
  created_at: Date;
  /** When the deletion of the account began; since then it cannot log in. Null for all others. */
  closed_at: Date | null;
}

const COLUMNS =
  'user_id, email, password_hash, display_name, role, developer_id, registration_paid_at, email_confirmed_at, pending_email, authenticator_since, time_zone, created_at, closed_at';

export type NewUser = Pick<
  UserRow,
  'user_id' | 'email' | 'password_hash' | 'display_name' | 'role' | 'developer_id'
>;

/**
 * Inserts a user whose email is not confirmed. A taken email is a unique violation of `users_email`, a taken developer
 * id one of `users_developer_id_key`.
 */
export async function insertUser(db: Db, user: NewUser): Promise<UserRow> {
  const result = await db.query<UserRow>(
    `INSERT INTO users (user_id, email, password_hash, display_name, role, developer_id)
     VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${COLUMNS}`,
    [user.user_id, user.email, user.password_hash, user.display_name, user.role, user.developer_id],
  );
  return onlyRow(result);
}

/** Finds the account of a mail address, ignoring case; also a closed one, which keeps its address until its erasure. */
export async function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>({
    name: 'user-by-email',
    text: `SELECT ${COLUMNS} FROM users WHERE lower(email) = lower($1) AND kind = 'person'`,
    values: [email],
  });
  return rows[0];
}

/**
 * Deletes an account that did not confirm its address within a day and has nothing, so that the address is free again.
 * Returns false if the account stays.
 */
export async function deleteUnconfirmed(db: Db, userId: string): Promise<boolean> {
  const { rows } = await db.query<{ deleted: boolean }>('SELECT unconfirmed_account_delete($1) AS deleted', [
    userId,
  ]);
  return rows[0]?.deleted === true;
}

/** Confirms the address of an account. */
export async function confirmEmail(tx: Db, userId: string): Promise<void> {
  await tx.query(
    'UPDATE users SET email_confirmed_at = coalesce(email_confirmed_at, now()) WHERE user_id = $1',
    [userId],
  );
}

/** Asks for another address of the account; null withdraws the change. Returns the account. */
export async function setPendingEmail(tx: Db, userId: string, email: string | null): Promise<UserRow> {
  return onlyRow(
    await tx.query<UserRow>(`UPDATE users SET pending_email = $2 WHERE user_id = $1 RETURNING ${COLUMNS}`, [
      userId,
      email,
    ]),
  );
}

/**
 * Puts the address that was asked for in the place of the present one, as confirmed. Returns the address before;
 * undefined if none was asked for. An address that another account has meanwhile is a unique violation of
 * `users_email`.
 */
export async function consumePendingEmail(tx: Db, userId: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ email: string }>(
    `WITH before AS (SELECT user_id, email FROM users WHERE user_id = $1 AND pending_email IS NOT NULL FOR UPDATE)
     UPDATE users u SET email = u.pending_email, pending_email = NULL, email_confirmed_at = now()
       FROM before WHERE u.user_id = before.user_id RETURNING before.email`,
    [userId],
  );
  return rows[0]?.email;
}

/** Changes the name of an account. */
export async function updateDisplayName(db: Db, userId: string, displayName: string): Promise<UserRow> {
  return onlyRow(
    await db.query<UserRow>(`UPDATE users SET display_name = $2 WHERE user_id = $1 RETURNING ${COLUMNS}`, [
      userId,
      displayName,
    ]),
  );
}

/** Sets the time zone of an account. Returns false if the database does not know it. */
export async function setTimeZone(db: Db, userId: string, zone: string): Promise<boolean> {
  try {
    await db.query('SELECT account_set_time_zone($1, $2)', [userId, zone]);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '22023') return false;
    throw error;
  }
}

/** Records since when the account has an authenticator app; null if it has none any more. */
export async function setAuthenticatorSince(
  tx: Db,
  userId: string,
  hasAuthenticator: boolean,
): Promise<void> {
  await tx.query('UPDATE users SET authenticator_since = CASE WHEN $2 THEN now() END WHERE user_id = $1', [
    userId,
    hasAuthenticator,
  ]);
}

export async function findUser(db: Db, userId: string): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>({
    name: 'user-by-id',
    text: `SELECT ${COLUMNS} FROM users WHERE user_id = $1`,
    values: [userId],
  });
  return rows[0];
}

/** Counts the developer ids that begin with this one, to guess the next free suffix. */
export async function countDeveloperIds(db: Db, developerId: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM users WHERE developer_id = $1 OR developer_id LIKE $1 || '-%'`,
    [developerId],
  );
  return rows[0]?.n ?? 0;
}

/** Replaces the password hash if it is still `oldHash`. Returns false if it changed concurrently. */
export async function updatePasswordHash(
  db: Db,
  userId: string,
  oldHash: string,
  newHash: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'UPDATE users SET password_hash = $3 WHERE user_id = $1 AND password_hash = $2',
    [userId, oldHash, newHash],
  );
  return rowCount === 1;
}

/** Grants the role `operator`. */
export async function updateRoleToOperator(db: Db, userId: string): Promise<UserRow> {
  return onlyRow(
    await db.query<UserRow>(`UPDATE users SET role = 'operator' WHERE user_id = $1 RETURNING ${COLUMNS}`, [
      userId,
    ]),
  );
}

/** Reads an account and locks it until the transaction ends. */
export async function lockUser(tx: Db, userId: string): Promise<UserRow | undefined> {
  const { rows } = await tx.query<UserRow>(
    `SELECT ${COLUMNS} FROM users WHERE user_id = $1 FOR NO KEY UPDATE`,
    [userId],
  );
  return rows[0];
}

/** Reads the account of a mail address and locks it until the transaction ends. */
export async function lockUserByEmail(tx: Db, email: string): Promise<UserRow | undefined> {
  const { rows } = await tx.query<UserRow>(
    `SELECT ${COLUMNS} FROM users WHERE lower(email) = lower($1) AND kind = 'person' FOR NO KEY UPDATE`,
    [email],
  );
  return rows[0];
}

/** Closes an account whose deletion begins: from then on it cannot log in. */
export async function closeUser(tx: Db, userId: string): Promise<void> {
  await tx.query('UPDATE users SET closed_at = coalesce(closed_at, now()) WHERE user_id = $1', [userId]);
}

/** Takes the role `operator` away: the account is a developer if it has a developer id, and a buyer otherwise. */
export async function updateRoleFromOperator(db: Db, userId: string): Promise<UserRow> {
  return onlyRow(
    await db.query<UserRow>(
      `UPDATE users SET role = CASE WHEN developer_id IS NULL THEN 'buyer' ELSE 'developer' END
        WHERE user_id = $1 RETURNING ${COLUMNS}`,
      [userId],
    ),
  );
}

/** Makes a buyer a developer with this id. Returns undefined if the account is no buyer any more. */
export async function updateRoleToDeveloper(
  db: Db,
  userId: string,
  developerId: string,
): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>(
    `UPDATE users SET role = 'developer', developer_id = $2 WHERE user_id = $1 AND role = 'buyer' RETURNING ${COLUMNS}`,
    [userId, developerId],
  );
  return rows[0];
}

/** Sets the password hash, whatever it was. */
export async function replacePasswordHash(tx: Db, userId: string, hash: string): Promise<void> {
  await tx.query('UPDATE users SET password_hash = $2 WHERE user_id = $1', [userId, hash]);
}

export interface Conversion {
  account: string;
  /** The id of the account that takes over the login. */
  person: string;
  /** The name of the organisation. */
  name: string;
  /** The secret of the authenticator app, sealed for the new account; null if there is none. */
  sealed: Buffer | null;
}

/** Turns an account into an organisation. Returns false if it is one, and while its deletion is open. */
export async function convertAccount(
  tx: Db,
  { account, person, name, sealed }: Conversion,
): Promise<boolean> {
  const { rows } = await tx.query<{ converted: boolean }>(
    'SELECT account_convert($1, $2, $3, $4) AS converted',
    [account, person, name, sealed],
  );
  return rows[0]?.converted === true;
}

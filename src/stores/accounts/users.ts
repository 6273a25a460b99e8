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
  created_at: Date;
}

const COLUMNS =
  'user_id, email, password_hash, display_name, role, developer_id, registration_paid_at, created_at';

export type NewUser = Pick<
  UserRow,
  'user_id' | 'email' | 'password_hash' | 'display_name' | 'role' | 'developer_id'
>;

/**
 * Inserts a user. A taken email or developer id is a unique violation of `users_email_unique` or
 * `users_developer_id_key`.
 */
export async function insertUser(db: Db, user: NewUser): Promise<UserRow> {
  const result = await db.query<UserRow>(
    `INSERT INTO users (user_id, email, password_hash, display_name, role, developer_id)
     VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${COLUMNS}`,
    [user.user_id, user.email, user.password_hash, user.display_name, user.role, user.developer_id],
  );
  return onlyRow(result);
}

/** Finds a user by email, ignoring case. */
export async function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>({
    name: 'user-by-email',
    text: `SELECT ${COLUMNS} FROM users WHERE lower(email) = lower($1)`,
    values: [email],
  });
  return rows[0];
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

/** Grants the role `operator` to the account with this email. Returns undefined if there is none. */
export async function updateRoleToOperator(db: Db, email: string): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>(
    `UPDATE users SET role = 'operator' WHERE lower(email) = lower($1) RETURNING ${COLUMNS}`,
    [email],
  );
  return rows[0];
}

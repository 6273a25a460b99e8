import type { Db } from '../db';
import type { UserRow } from './users';

/** A valid session and its user: everything that a request needs to know about its caller, in one indexed read. */
export type SessionRow = { sess: unknown; expire: Date } & {
  [K in 'user_id' | 'role' | 'developer_id' | 'registration_paid_at']: UserRow[K] | null;
};

export async function findSession(db: Db, sid: string): Promise<SessionRow | undefined> {
  const { rows } = await db.query<SessionRow>({
    name: 'session-with-user',
    text: `SELECT s.sess, s.expire, u.user_id, u.role, u.developer_id, u.registration_paid_at
           FROM sessions s LEFT JOIN users u ON u.user_id = s.sess -> 'passport' ->> 'user'
           WHERE s.sid = $1 AND s.expire > now()`,
    values: [sid],
  });
  return rows[0];
}

/** Extends a session. A deleted session is not recreated. */
export async function extendSession(db: Db, sid: string, sess: unknown, expire: Date): Promise<void> {
  await db.query('UPDATE sessions SET sess = $2, expire = $3 WHERE sid = $1', [
    sid,
    JSON.stringify(sess),
    expire,
  ]);
}

/** Ends every session of a user. */
export async function deleteSessionsOfUser(db: Db, userId: string): Promise<void> {
  await db.query(`DELETE FROM sessions WHERE sess -> 'passport' ->> 'user' = $1`, [userId]);
}

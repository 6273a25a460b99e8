import type { Db } from '../db';
import { ACTING_OWNER, type ActingOwnerRow } from '../organisations/members';
import type { UserRow } from './users';

/** A valid session and its user: everything that a request needs to know about its caller, in one indexed read. */
export type SessionRow = { sess: unknown; expire: Date } & {
  [
    K in
      | 'user_id'
      | 'role'
      | 'developer_id'
      | 'registration_paid_at'
      | 'email_confirmed_at'
      | 'authenticator_since'
  ]: UserRow[K] | null;
} & { keeps_bodies: boolean | null } & { chosen_owner: string | null } & {
  [K in keyof ActingOwnerRow]: ActingOwnerRow[K] | null;
};

export async function findSession(db: Db, sid: string): Promise<SessionRow | undefined> {
  const { rows } = await db.query<SessionRow>({
    name: 'session-with-user',
    text: `SELECT s.sess, s.expire, u.user_id, u.role, u.developer_id, u.registration_paid_at,
                  u.email_confirmed_at, u.authenticator_since, u.keep_days > 0 AS keeps_bodies,
                  s.sess ->> 'owner' AS chosen_owner, ${ACTING_OWNER}
           FROM sessions s LEFT JOIN users u ON u.user_id = s.sess -> 'passport' ->> 'user' AND u.closed_at IS NULL
                LEFT JOIN organisation_members m ON m.org_id = s.sess ->> 'owner' AND m.user_id = u.user_id
                LEFT JOIN organisations g ON g.org_id = m.org_id LEFT JOIN users o ON o.user_id = m.org_id
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

/** Sessions of an account that are kept. */
export const MOST_SESSIONS = 100;

/** The valid sessions of an account, the newest first, at most `MOST_SESSIONS`. */
export async function listSessions(
  db: Db,
  userId: string,
): Promise<{ sid: string; sess: unknown; expire: Date }[]> {
  const { rows } = await db.query<{ sid: string; sess: unknown; expire: Date }>(
    `SELECT sid, sess, expire FROM sessions WHERE sess -> 'passport' ->> 'user' = $1 AND expire > now()
      ORDER BY expire DESC, sid LIMIT ${MOST_SESSIONS}`,
    [userId],
  );
  return rows;
}

/** Whether the account of an email has a valid session that began in a network. */
export async function hasSessionFrom(db: Db, email: string, network: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM users u JOIN sessions s ON s.sess -> 'passport' ->> 'user' = u.user_id
      WHERE lower(u.email) = lower($1) AND s.expire > now() AND s.sess ->> 'network' = $2 LIMIT 1`,
    [email, network],
  );
  return rowCount === 1;
}

/** Ends the sessions of a user with these ids. Returns how many there were. */
export async function deleteSessions(db: Db, userId: string, sids: readonly string[]): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM sessions WHERE sid = ANY ($2) AND sess -> 'passport' ->> 'user' = $1`,
    [userId, sids],
  );
  return rowCount ?? 0;
}

/** Ends every session of a user but one. */
export async function deleteOtherSessions(db: Db, userId: string, sid: string): Promise<void> {
  await db.query(`DELETE FROM sessions WHERE sess -> 'passport' ->> 'user' = $1 AND sid <> $2`, [
    userId,
    sid,
  ]);
}

/** Ends the oldest sessions of a user beyond `MOST_SESSIONS`. */
export async function trimSessions(db: Db, userId: string): Promise<void> {
  await db.query(
    `DELETE FROM sessions WHERE sid IN (SELECT sid FROM sessions WHERE sess -> 'passport' ->> 'user' = $1
      ORDER BY expire DESC OFFSET ${MOST_SESSIONS})`,
    [userId],
  );
}

/** Deletes up to `most` sessions that have expired, oldest first. Returns how many. */
export async function deleteExpiredSessions(db: Db, most: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM sessions WHERE sid = ANY (ARRAY (SELECT sid FROM sessions
       WHERE expire < now() ORDER BY expire LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    [most],
  );
  return rowCount ?? 0;
}

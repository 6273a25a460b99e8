/** Mails about notices (`migrations/0110_notice_mails.sql`). `notice_record.sql` writes them. */
import type { Db } from '../db';

export interface NoticeMailRow {
  mailId: string;
  userId: string;
  isReminder: boolean;
  attempts: number;
  /** Null if the notice was deleted. */
  type: string | null;
  data: Record<string, unknown>;
  /** Null if the account was deleted. */
  email: string | null;
  isConfirmed: boolean;
  /** Topics that the account wants no mails about. */
  off: string[];
  /** False for a reminder of what was answered meanwhile, and for old news, such as that of a restored database. */
  isCurrent: boolean;
}

/** Whether the account can still do what a reminder asks for. */
const IS_OPEN = `CASE n.type
  WHEN 'dispute.opened' THEN EXISTS (SELECT FROM disputes d WHERE d.dispute_id = n.data ->> 'dispute_id' AND d.status = 'open')
  WHEN 'bond.slashed' THEN EXISTS (SELECT FROM slashes s WHERE s.slash_id = n.data ->> 'slash_id' AND s.status = 'applied')
  WHEN 'slash.finalized' THEN EXISTS (SELECT FROM bonds b WHERE b.developer_user_id = n.user_id
    AND b.shortfall_deadline > now() AND b.shortfall_ended_at IS NULL)
  ELSE false END`;

/** Longer than the day that news may wait for others, and the 27 hours in which a mail server may be away. */
const FRESH = "interval '3 days'";

/**
 * Claims up to `most` mails that are due, those of one account and time side by side. Other processes do not get them
 * for `leaseMs`.
 */
export async function claimNoticeMails(db: Db, most: number, leaseMs: number): Promise<NoticeMailRow[]> {
  const { rows } = await db.query<NoticeMailRow>({
    name: 'notice-mail-claim',
    text: `WITH due AS (SELECT mail_id FROM notice_mails WHERE due_at <= now() ORDER BY due_at, user_id LIMIT $1
                         FOR UPDATE SKIP LOCKED),
      c AS (UPDATE notice_mails m SET due_at = now() + $2 * interval '1 ms', attempts = m.attempts + 1
              FROM due WHERE m.mail_id = due.mail_id
            RETURNING m.mail_id, m.user_id, m.notice_id, m.is_reminder, m.attempts)
      SELECT c.mail_id AS "mailId", c.user_id AS "userId", c.is_reminder AS "isReminder", c.attempts, n.type,
             coalesce(n.data, '{}') AS data, u.email, u.email_confirmed_at IS NOT NULL AS "isConfirmed",
             coalesce(s.off, '{}') AS off,
             coalesce(CASE WHEN c.is_reminder THEN ${IS_OPEN} ELSE n.at > now() - ${FRESH} END, false) AS "isCurrent"
        FROM c LEFT JOIN account_notices n ON n.notice_id = c.notice_id LEFT JOIN users u ON u.user_id = c.user_id
        LEFT JOIN mail_settings s ON s.user_id = c.user_id
       ORDER BY c.mail_id`,
    values: [most, leaseMs],
  });
  return rows;
}

/** Ends mails that were sent, or that are not to be sent. */
export async function endNoticeMails(db: Db, mailIds: readonly string[]): Promise<void> {
  await db.query('UPDATE notice_mails SET due_at = NULL, ended_at = now() WHERE mail_id = ANY ($1)', [
    mailIds,
  ]);
}

/** Makes mails due again after `pauseMs`. */
export async function postponeNoticeMails(
  db: Db,
  mailIds: readonly string[],
  pauseMs: number,
): Promise<void> {
  await db.query(
    `UPDATE notice_mails SET due_at = now() + $2 * interval '1 ms' WHERE mail_id = ANY ($1) AND due_at IS NOT NULL`,
    [mailIds, pauseMs],
  );
}

/** Deletes up to `most` mails that ended two days ago. */
export async function purgeNoticeMails(db: Db, most: number): Promise<void> {
  await db.query(
    `DELETE FROM notice_mails WHERE mail_id IN (SELECT mail_id FROM notice_mails
      WHERE due_at IS NULL AND ended_at < now() - interval '2 days' ORDER BY ended_at LIMIT $1)`,
    [most],
  );
}

/** The topics that an account wants no mails about. */
export async function readMailsOff(db: Db, userId: string): Promise<string[]> {
  const { rows } = await db.query<{ off: string[] }>('SELECT off FROM mail_settings WHERE user_id = $1', [
    userId,
  ]);
  return rows[0]?.off ?? [];
}

/** Sets them. */
export async function writeMailsOff(db: Db, userId: string, off: readonly string[]): Promise<void> {
  await db.query(
    `INSERT INTO mail_settings (user_id, off) VALUES ($1, $2) ON CONFLICT (user_id) DO UPDATE SET off = excluded.off`,
    [userId, off],
  );
}

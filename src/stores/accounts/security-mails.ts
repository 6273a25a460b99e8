/** Mails that report changes of an account: one row for each change (`migrations/0033_security_mails.sql`). */
import type { NoticeKind } from '../../domain/accounts/mail';
import type { Db } from '../db';

/** Mails of one kind that an account gets in an hour, before further ones are merged. */
const MOST_PER_HOUR = 20;

export interface SecurityMailRow {
  mailId: string;
  recipient: string;
  kind: NoticeKind;
  subject: string;
  requestedAt: Date;
  attempts: number;
}

/** Stores a mail of its own for a change. False if the account got too many of this kind within the hour. */
export async function insertSecurityMail(
  tx: Db,
  mail: Pick<SecurityMailRow, 'recipient' | 'kind' | 'subject'>,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'security-mail-request',
    text: `INSERT INTO security_mails (recipient, kind, subject) SELECT $1, $2, $3
            WHERE (SELECT count(*) FROM (SELECT FROM security_mails m WHERE m.recipient = $1 AND m.kind = $2
                     AND m.requested_at > now() - interval '1 hour' LIMIT ${MOST_PER_HOUR}) recent) < ${MOST_PER_HOUR}`,
    values: [mail.recipient, mail.kind, mail.subject],
  });
  return rowCount === 1;
}

/** Claims up to `most` mails that are due. Other processes do not get them for `leaseMs`. */
export async function claimSecurityMails(db: Db, most: number, leaseMs: number): Promise<SecurityMailRow[]> {
  const { rows } = await db.query<SecurityMailRow>({
    name: 'security-mail-claim',
    text: `WITH due AS (SELECT mail_id FROM security_mails WHERE due_at <= now() ORDER BY due_at LIMIT $1
                         FOR UPDATE SKIP LOCKED)
           UPDATE security_mails m SET due_at = now() + $2 * interval '1 ms', attempts = m.attempts + 1
           FROM due WHERE m.mail_id = due.mail_id
           RETURNING m.mail_id AS "mailId", m.recipient, m.kind, m.subject, m.requested_at AS "requestedAt", m.attempts`,
    values: [most, leaseMs],
  });
  return rows;
}

/** Ends a mail that was sent, or that needs not be sent. */
export async function finishSecurityMail(db: Db, mailId: string): Promise<void> {
  await db.query('UPDATE security_mails SET sent_at = now(), due_at = NULL WHERE mail_id = $1', [mailId]);
}

/** Makes a mail due again after `pauseMs`. */
export async function postponeSecurityMail(db: Db, mailId: string, pauseMs: number): Promise<void> {
  await db.query(
    `UPDATE security_mails SET due_at = now() + $2 * interval '1 ms' WHERE mail_id = $1 AND due_at IS NOT NULL`,
    [mailId, pauseMs],
  );
}

/** Deletes up to `most` mails that ended a day ago. */
export async function purgeSecurityMails(db: Db, most: number): Promise<void> {
  await db.query(
    `DELETE FROM security_mails WHERE mail_id IN (SELECT mail_id FROM security_mails
      WHERE due_at IS NULL AND sent_at < now() - interval '1 day' ORDER BY sent_at LIMIT $1)`,
    [most],
  );
}

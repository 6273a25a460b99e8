/**
 * The outbox of mails and the tokens that they contain (`migrations/0001_accounts.sql`). A change of an account has a
 * row of its own (`security-mails.ts`); other mails, and a flood of changes, are merged by recipient and kind.
 */
import { isNotice, type MailKind } from '../../domain/accounts/mail';
import { MarketError } from '../../domain/errors';
import { type Db, isDatabaseUnavailable } from '../db';
import { mailedMembers } from '../organisations/organisations';
import {
  claimSecurityMails,
  finishSecurityMail,
  insertSecurityMail,
  postponeSecurityMail,
  purgeSecurityMails,
} from './security-mails';

/** Shortest time between two merged mails of one kind to one recipient. Requests in between become one mail. */
const GAP_MS = 60_000;

/** A mail that is to be sent. It contains no token: the sender creates it. */
export interface MailRequest {
  /** User id; for `reset_password` the address that was asked for. */
  recipient: string;
  kind: MailKind;
  /** What the mail is about, such as the id of a webhook; at most 200 characters. */
  subject?: string | undefined;
}

export interface ClaimedMail extends MailRequest {
  /** Set for a mail of one change; null for a merged one. */
  mailId: string | null;
  subject: string;
  /** When it was last asked for. */
  requestedAt: Date;
  /** How many requests became this mail. */
  times: number;
  /** Counts requests, so that one that arrives while the mail is sent is not lost. */
  changes: string;
  attempts: number;
}

/**
 * Puts a mail into the outbox. Call it in the transaction that performs what the mail reports. Throws `not_ready` if
 * Postgres refuses the row, so that nothing happens without its mail.
 */
export async function requestMail(tx: Db, mail: MailRequest): Promise<void> {
  try {
    await storeMail(tx, mail);
  } catch (cause) {
    if (isDatabaseUnavailable(cause)) throw cause;
    throw new MarketError('not_ready', {
      message:
        'The mail that belongs to this request cannot be stored. Nothing was changed. Repeat the request in a few minutes.',
      cause,
    });
  }
}

async function storeMail(tx: Db, mail: MailRequest): Promise<void> {
  const { recipient, kind, subject = '' } = mail;
  // A mail about an organisation goes to its owners and admins.
  const members = isNotice(kind) ? await mailedMembers(tx, recipient, ['owner', 'admin']) : [];
  for (const member of members) await storeMail(tx, { ...mail, recipient: member });
  if (members.length > 0) return;
  if (isNotice(kind) && (await insertSecurityMail(tx, { recipient, kind, subject }))) return;
  await mergeMail(tx, mail);
}

async function mergeMail(tx: Db, { recipient, kind, subject = '' }: MailRequest): Promise<void> {
  await tx.query({
    name: 'mail-request',
    text: `INSERT INTO mails AS m (recipient, kind, subject, due_at) VALUES ($1, $2, $3, now())
           ON CONFLICT (recipient, kind) DO UPDATE SET
             subject = excluded.subject,
             times = CASE WHEN m.due_at IS NULL THEN 1 ELSE least(m.times + 1, 1000000) END,
             changes = m.changes + 1,
             requested_at = now(),
             attempts = CASE WHEN m.due_at IS NULL THEN 0 ELSE m.attempts END,
             due_at = coalesce(m.due_at, greatest(now(), m.sent_at + ${GAP_MS} * interval '1 ms'))`,
    values: [recipient, kind, subject],
  });
}

/** Claims up to `most` mails that are due. Other processes do not get them for `leaseMs`. */
export async function claimMails(db: Db, most: number, leaseMs: number): Promise<ClaimedMail[]> {
  const ofChanges = await claimSecurityMails(db, most, leaseMs);
  const claimed = ofChanges.map((mail) => ({ ...mail, times: 1, changes: '1' }));
  if (claimed.length === most) return claimed;
  return [...claimed, ...(await claimMerged(db, most - claimed.length, leaseMs))];
}

async function claimMerged(db: Db, most: number, leaseMs: number): Promise<ClaimedMail[]> {
  const { rows } = await db.query<ClaimedMail>({
    name: 'mail-claim',
    text: `WITH due AS (SELECT recipient, kind FROM mails WHERE due_at <= now() ORDER BY due_at LIMIT $1
                         FOR UPDATE SKIP LOCKED)
           UPDATE mails m SET due_at = now() + $2 * interval '1 ms', attempts = m.attempts + 1
           FROM due WHERE m.recipient = due.recipient AND m.kind = due.kind
           RETURNING NULL AS "mailId", m.recipient, m.kind, m.subject, m.requested_at AS "requestedAt", m.times, m.changes,
             m.attempts`,
    values: [most, leaseMs],
  });
  return rows;
}

/** Ends a mail that was sent, or that needs not be sent. A request that arrived meanwhile becomes another mail. */
export async function finishMail(db: Db, { mailId, recipient, kind, changes }: ClaimedMail): Promise<void> {
  if (mailId !== null) return finishSecurityMail(db, mailId);
  await db.query(
    `UPDATE mails SET sent_at = now(), times = 1, attempts = 0,
            due_at = CASE WHEN changes <> $3 THEN now() + ${GAP_MS} * interval '1 ms' END
      WHERE recipient = $1 AND kind = $2`,
    [recipient, kind, changes],
  );
}

/** Makes a mail due again after `pauseMs`. */
export async function postponeMail(
  db: Db,
  { mailId, recipient, kind }: ClaimedMail,
  pauseMs: number,
): Promise<void> {
  if (mailId !== null) return postponeSecurityMail(db, mailId, pauseMs);
  await db.query(
    `UPDATE mails SET due_at = now() + $3 * interval '1 ms' WHERE recipient = $1 AND kind = $2 AND due_at IS NOT NULL`,
    [recipient, kind, pauseMs],
  );
}

/** Deletes up to `most` mails that ended a day ago, and up to `most` expired tokens. */
export async function purgeMails(db: Db, most: number): Promise<void> {
  await purgeSecurityMails(db, most);
  await db.query(
    `DELETE FROM mails WHERE (recipient, kind) IN (SELECT recipient, kind FROM mails
      WHERE due_at IS NULL AND sent_at < now() - interval '1 day' ORDER BY sent_at LIMIT $1)`,
    [most],
  );
  await db.query(
    `DELETE FROM mail_tokens WHERE sha256 IN (SELECT sha256 FROM mail_tokens
      WHERE expires_at < now() ORDER BY expires_at LIMIT $1)`,
    [most],
  );
}

/** `log_in`: a one-time login link of the local stack, which no mail contains. */
export type TokenPurpose = 'confirm_email' | 'change_email' | 'reset_password' | 'log_in' | 'delete_account';

export interface NewToken {
  sha256: Buffer;
  userId: string;
  purpose: TokenPurpose;
  /** The address that gets the token; undefined for a token that no mail contains. */
  email?: string;
  validMs: number;
}

/** Stores the SHA-256 of a token. */
export async function insertToken(db: Db, token: NewToken): Promise<void> {
  await db.query(
    `INSERT INTO mail_tokens (sha256, user_id, purpose, email, expires_at)
     VALUES ($1, $2, $3, $4, now() + $5 * interval '1 ms')`,
    [token.sha256, token.userId, token.purpose, token.email ?? null, token.validMs],
  );
}

/** True if a token is valid. It stays so. */
export async function isTokenValid(db: Db, sha256: Buffer, purpose: TokenPurpose): Promise<boolean> {
  const { rowCount } = await db.query(
    'SELECT FROM mail_tokens WHERE sha256 = $1 AND purpose = $2 AND expires_at > now()',
    [sha256, purpose],
  );
  return rowCount === 1;
}

/**
 * Uses a token up, with all others of its account and purpose. Returns the id of its account; undefined if the token is
 * unknown, used or expired, or was sent to an address that is no longer the one of the account or of its change.
 */
export async function consumeToken(
  tx: Db,
  sha256: Buffer,
  purpose: TokenPurpose,
): Promise<string | undefined> {
  const { rows } = await tx.query<{ user_id: string }>(
    `DELETE FROM mail_tokens t USING users u
      WHERE t.sha256 = $1 AND t.purpose = $2 AND t.expires_at > now() AND u.user_id = t.user_id
        AND u.closed_at IS NULL
        AND (t.email IS NULL OR t.email = CASE t.purpose WHEN 'change_email' THEN u.pending_email ELSE u.email END)
     RETURNING t.user_id`,
    [sha256, purpose],
  );
  const userId = rows[0]?.user_id;
  if (userId === undefined) return undefined;
  await tx.query('DELETE FROM mail_tokens WHERE user_id = $1 AND purpose = $2', [userId, purpose]);
  return userId;
}

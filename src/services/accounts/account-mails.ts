/**
 * Sends the mails of the outbox. A request for a mail says who and what; whether the address is known, and the token,
 * are decided here, so that the answer to the request neither reveals an account nor waits for a mail server.
 */
import {
  changeMail,
  confirmationMail,
  deletionMail,
  isDeletedAddress,
  CONFIRMATION_VALID_HOURS,
  invitationMail,
  noticeMail,
  resetMail,
  RESET_VALID_MINUTES,
} from '../../domain/accounts/mail';
import { INVITATION_DAYS } from '../../domain/accounts/roles';
import type { Mail, MailSender } from '../../egress/mail';
import { mailTokenSha256, newMailToken } from '../../kit/crypto/mail-token';
import type { Logger } from '../../logger';
import {
  claimMails,
  type ClaimedMail,
  finishMail,
  insertToken,
  type NewToken,
  postponeMail,
  purgeMails,
} from '../../stores/accounts/mails';
import { findDeletionAddress, setInvitationToken } from '../../stores/organisations/organisations';
import { addPoints } from '../../stores/accounts/rate-limits';
import { findUser, findUserByEmail, type UserRow } from '../../stores/accounts/users';
import type { Db } from '../../stores/db';

export interface MailDeps {
  db: Db;
  sender: Pick<MailSender, 'send'>;
  /** Public base URL of the API. */
  origin: string;
  /** True if accounts without a confirmed email may act, and get mails. */
  trustsUnconfirmed: boolean;
  /** How long the deletion of an account can be confirmed. Default: 14 days. */
  deletionWindowMs?: number;
  logger: Logger;
}

const BATCH = 10;
const MOST_BATCHES = 20;
/** Longer than the longest attempt to send. */
export const LEASE_MS = 120_000;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** Attempts over about nine hours. */
const MOST_ATTEMPTS = 16;
/** Mails with tokens that one address gets in an hour, from all callers together. */
const MOST_PER_HOUR = 10;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PURGE_ROWS = 1_000;

export interface MailAttempt {
  /** What the mail is about, for the log. */
  kind: string;
  /** With this one. */
  attempts: number;
  mostAttempts: number;
  /** Undefined if nothing is to be sent. */
  compose: () => Promise<Mail | undefined>;
  /** Ends the mail: it was sent, refused for good or given up. */
  end: () => Promise<void>;
  postpone: (pauseMs: number) => Promise<void>;
}

/** Tries to send a mail of an outbox. After a failure, pauses double from 30 s to an hour. */
export async function attemptMail(
  { sender, logger }: Pick<MailDeps, 'sender' | 'logger'>,
  { kind, attempts, mostAttempts, compose, end, postpone }: MailAttempt,
): Promise<void> {
  try {
    const mail = await compose();
    const outcome = mail && (await sender.send(mail));
    if (outcome === 'refused') logger.warn({ kind }, 'the mail server refused a mail for good');
    await end();
  } catch (error) {
    const givesUp = attempts >= mostAttempts;
    logger.warn({ err: error, kind, attempts, givesUp }, 'a mail was not sent');
    if (givesUp) await end();
    else await postpone(Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS));
  }
}

export function createAccountMails(deps: MailDeps) {
  const { db } = deps;

  const deliver = (mail: ClaimedMail): Promise<void> =>
    attemptMail(deps, {
      kind: mail.kind,
      attempts: mail.attempts,
      mostAttempts: MOST_ATTEMPTS,
      compose: () => compose(deps, mail),
      end: () => finishMail(db, mail),
      postpone: (pauseMs) => postponeMail(db, mail, pauseMs),
    });

  return {
    /** Sends the mails that are due. A loop of the worker calls it. */
    async send(): Promise<void> {
      for (let batches = 0; batches < MOST_BATCHES; batches += 1) {
        const mails = await claimMails(db, BATCH, LEASE_MS);
        await Promise.all(mails.map(deliver));
        if (mails.length < BATCH) return;
      }
    },

    /** Deletes mails that were sent, and expired tokens. */
    purge: () => purgeMails(db, PURGE_ROWS),
  };
}

/** What is sent, and to whom; undefined if nothing is to be sent. */
async function compose(deps: MailDeps, mail: ClaimedMail): Promise<Mail | undefined> {
  const facts = { origin: deps.origin, about: mail.subject, times: mail.times, at: mail.requestedAt };
  if (mail.kind === 'reset_password') return composeReset(deps, mail.recipient);
  // To the address before, which the account no longer has.
  if (mail.kind === 'email_changed') return { to: mail.recipient, ...noticeMail(mail.kind, facts) };
  if (mail.kind === 'invitation') return composeInvitation(deps, mail.recipient);
  const user = await findUser(deps.db, mail.recipient);
  if (!user || isDeletedAddress(user.email)) return undefined;
  if (mail.kind === 'confirm_deletion') return composeDeletion(deps, user);
  if (mail.kind === 'confirm_email') return composeConfirmation(deps, user);
  if (mail.kind === 'change_email') return composeChange(deps, user);
  if (!user.email_confirmed_at && !deps.trustsUnconfirmed) return undefined;
  return { to: user.email, ...noticeMail(mail.kind, facts) };
}

async function composeConfirmation(deps: MailDeps, user: UserRow): Promise<Mail | undefined> {
  const { db, origin } = deps;
  if (user.email_confirmed_at) return undefined;
  if (!(await mayWriteTo(db, user.email))) return undefined;
  const sent = { userId: user.user_id, email: user.email, purpose: 'confirm_email' } as const;
  const token = await issueToken(db, sent, CONFIRMATION_VALID_HOURS * HOUR_MS);
  return { to: user.email, ...confirmationMail(origin, token) };
}

async function composeChange(deps: MailDeps, user: UserRow): Promise<Mail | undefined> {
  const { db, origin } = deps;
  const { pending_email: email } = user;
  if (email === null || !(await mayWriteTo(db, email))) return undefined;
  const sent = { userId: user.user_id, email, purpose: 'change_email' } as const;
  const token = await issueToken(db, sent, CONFIRMATION_VALID_HOURS * HOUR_MS);
  return { to: email, ...changeMail(origin, token) };
}

/** An organisation has no address of its own: one of its owners confirms its deletion. */
async function composeDeletion(
  { db, origin, deletionWindowMs = 14 * DAY_MS }: MailDeps,
  user: UserRow,
): Promise<Mail | undefined> {
  const isOrganisation = user.email === user.user_id;
  const to = isOrganisation ? await findDeletionAddress(db, user.user_id) : user.email;
  if (to === undefined) return undefined;
  const sent = { userId: user.user_id, email: user.email, purpose: 'delete_account' } as const;
  const token = await issueToken(db, sent, deletionWindowMs);
  const validDays = Math.max(1, Math.round(deletionWindowMs / DAY_MS));
  const what = isOrganisation ? `organisation ${user.user_id}` : 'account';
  return { to, ...deletionMail(origin, token, validDays, what) };
}

async function composeReset(deps: MailDeps, address: string): Promise<Mail | undefined> {
  const { db, origin } = deps;
  const user = await findUserByEmail(db, address);
  if (!user || user.closed_at || !(await mayWriteTo(db, user.email))) return undefined;
  const sent = { userId: user.user_id, email: user.email, purpose: 'reset_password' } as const;
  const token = await issueToken(db, sent, RESET_VALID_MINUTES * 60_000);
  return { to: user.email, ...resetMail(origin, token) };
}

async function composeInvitation(deps: MailDeps, invitationId: string): Promise<Mail | undefined> {
  const { db, origin } = deps;
  const token = newMailToken();
  const invitation = await setInvitationToken(db, invitationId, mailTokenSha256(token));
  if (!invitation || !(await mayWriteTo(db, invitation.email))) return undefined;
  return { to: invitation.email, ...invitationMail(origin, token, INVITATION_DAYS) };
}

/** Counts a mail that anybody can ask for. False if the address had too many of them. */
async function mayWriteTo(db: Db, address: string): Promise<boolean> {
  const key = `mail/${address.toLowerCase()}`;
  const [counter] = await addPoints(db, [{ key, points: 1, windowMs: HOUR_MS }]);
  return (counter?.points ?? 0) <= MOST_PER_HOUR;
}

async function issueToken(
  db: Db,
  sent: Required<Pick<NewToken, 'userId' | 'purpose' | 'email'>>,
  validMs: number,
): Promise<string> {
  const token = newMailToken();
  await insertToken(db, { sha256: mailTokenSha256(token), ...sent, validMs });
  return token;
}

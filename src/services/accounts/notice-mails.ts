/** Sends the mails about notices (ADR 0289), and keeps which of them an account wants. */
import { MAIL_TOPICS, mailOfNotices, type MailTopic, topicOf } from '../../domain/webhooks/notice-mail';
import { isNoticeType } from '../../domain/webhooks/account-notice';
import type { Mail, MailSender } from '../../egress/mail';
import type { Logger } from '../../logger';
import {
  claimNoticeMails,
  endNoticeMails,
  type NoticeMailRow,
  postponeNoticeMails,
  purgeNoticeMails,
  readMailsOff,
  writeMailsOff,
} from '../../stores/accounts/notice-mails';
import type { Db } from '../../stores/db';

export interface NoticeMailsDeps {
  db: Db;
  sender: Pick<MailSender, 'send'>;
  /** Public base URL of the API. */
  origin: string;
  /** True if accounts without a confirmed email may act, and get mails. */
  trustsUnconfirmed: boolean;
  logger: Logger;
}

const BATCH = 100;
const MOST_BATCHES = 20;
/** Longer than the longest attempt to send. */
const LEASE_MS = 120_000;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** Attempts over more than a day. */
const MOST_ATTEMPTS = 36;
const PURGE_ROWS = 1_000;

/** Whether an account wants a mail about each topic. */
export type MailSettings = Record<MailTopic, boolean>;

export function createNoticeMails(deps: NoticeMailsDeps) {
  const { db } = deps;
  return {
    /** Sends the mails that are due, those of one account as one. A loop of the worker calls it. */
    async send(): Promise<void> {
      for (let batches = 0; batches < MOST_BATCHES; batches += 1) {
        const rows = await claimNoticeMails(db, BATCH, LEASE_MS);
        await Promise.all(byAccount(rows).map((ofOne) => deliver(deps, ofOne)));
        if (rows.length < BATCH) return;
      }
    },

    /** Deletes mails that ended. */
    purge: () => purgeNoticeMails(db, PURGE_ROWS),
  };
}

export function createMailSettings({ pool }: { pool: Db }) {
  return {
    /** Which mails about notices an account wants. */
    async of(userId: string): Promise<MailSettings> {
      const off = await readMailsOff(pool, userId);
      return Object.fromEntries(MAIL_TOPICS.map((topic) => [topic, !off.includes(topic)])) as MailSettings;
    },

    /** Sets that. It counts for the mails that are not sent yet, too. */
    set: (userId: string, settings: MailSettings): Promise<void> =>
      writeMailsOff(
        pool,
        userId,
        MAIL_TOPICS.filter((topic) => !settings[topic]),
      ),
  };
}

export type MailSettingsService = ReturnType<typeof createMailSettings>;

function byAccount(rows: readonly NoticeMailRow[]): NoticeMailRow[][] {
  const accounts = new Map<string, NoticeMailRow[]>();
  for (const row of rows) accounts.set(row.userId, [...(accounts.get(row.userId) ?? []), row]);
  return [...accounts.values()];
}

/** Sends one mail about notices of one account. */
async function deliver(deps: NoticeMailsDeps, rows: readonly NoticeMailRow[]): Promise<void> {
  const { db, sender, logger } = deps;
  const ids = rows.map(({ mailId }) => mailId);
  const attempts = Math.max(...rows.map((row) => row.attempts));
  try {
    const mail = compose(deps, rows);
    const end = mail && (await sender.send(mail));
    if (end === 'refused') logger.warn('the mail server refused a mail about notices for good');
    await endNoticeMails(db, ids);
  } catch (error) {
    const givesUp = attempts >= MOST_ATTEMPTS;
    logger.warn({ err: error, attempts, givesUp }, 'a mail about notices was not sent');
    if (givesUp) await endNoticeMails(db, ids);
    else await postponeNoticeMails(db, ids, Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS));
  }
}

/** What is sent, and to whom; undefined if nothing is to be sent. */
function compose(
  { origin, trustsUnconfirmed }: NoticeMailsDeps,
  rows: readonly NoticeMailRow[],
): Mail | undefined {
  const wanted = rows.filter(
    ({ type, isCurrent, off }) =>
      type !== null && isNoticeType(type) && isCurrent && !off.includes(topicOf(type)),
  );
  const [first] = wanted;
  if (!first?.email || (!first.isConfirmed && !trustsUnconfirmed)) return undefined;
  const text = mailOfNotices(
    origin,
    wanted.map(({ type, data, isReminder }) => ({ type: type ?? '', data, isReminder })),
  );
  const messageId = `<notice-${first.mailId}@${new URL(origin).hostname}>`;
  return text && { to: first.email, ...text, messageId };
}

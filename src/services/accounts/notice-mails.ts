/** Sends the mails about notices (ADR 0289), and keeps which of them an account wants. */
import { MAIL_TOPICS, mailOfNotices, type MailTopic, topicOf } from '../../domain/webhooks/notice-mail';
import { isNoticeType } from '../../domain/webhooks/account-notice';
import type { Mail } from '../../egress/mail';
import {
  claimNoticeMails,
  endNoticeMails,
  type NoticeMailRow,
  postponeNoticeMails,
  purgeNoticeMails,
  readMailsOff,
  writeMailsOff,
} from '../../stores/accounts/notice-mails';
import { readBalanceAlert, writeAlerts, writeBalanceAlert } from '../../stores/accounts/alerts';
import { creditsToUnits, unitsToCredits } from '../../domain/ledger/money';
import type { Db } from '../../stores/db';
import { attemptMail, LEASE_MS, type MailDeps } from './account-mails';

const BATCH = 100;
const MOST_BATCHES = 20;
/** Attempts over more than a day. */
const MOST_ATTEMPTS = 36;
const PURGE_ROWS = 1_000;
/** How often the worker looks for low wallets and keys that expire. */
const ALERTS_EVERY_MS = 30_000;

/** Whether an account wants a mail about each topic. */
export type MailSettings = Record<MailTopic, boolean>;

export function createNoticeMails(deps: MailDeps) {
  const { db } = deps;
  let alertsAt = -Infinity;
  return {
    /**
     * Sends the mails that are due, those of one account as one, and before, now and then, writes the notices that
     * depend on time or on balances. A loop of the worker calls it.
     */
    async send(): Promise<void> {
      if (performance.now() - alertsAt > ALERTS_EVERY_MS) {
        alertsAt = performance.now();
        await writeAlerts(db, BATCH);
      }
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

    /** Sets that; topics that are left out stay. It counts for the mails that are not sent yet, too. */
    async set(userId: string, settings: Partial<MailSettings>): Promise<void> {
      const before = await readMailsOff(pool, userId);
      const isOff = (topic: MailTopic) =>
        settings[topic] === undefined ? before.includes(topic) : !settings[topic];
      await writeMailsOff(pool, userId, MAIL_TOPICS.filter(isOff));
    },

    /** Below which balance of the wallet, in credits, the account is notified; null: never. */
    async balanceAlert(userId: string): Promise<number | null> {
      const units = await readBalanceAlert(pool, userId);
      return units === null ? null : unitsToCredits(units);
    },

    setBalanceAlert: (userId: string, credits: number | null): Promise<void> =>
      writeBalanceAlert(pool, userId, credits === null ? null : creditsToUnits(credits)),
  };
}

export type MailSettingsService = ReturnType<typeof createMailSettings>;

function byAccount(rows: readonly NoticeMailRow[]): NoticeMailRow[][] {
  const accounts = new Map<string, NoticeMailRow[]>();
  for (const row of rows) accounts.set(row.userId, [...(accounts.get(row.userId) ?? []), row]);
  return [...accounts.values()];
}

/** Sends one mail about notices of one account. */
function deliver(deps: MailDeps, rows: readonly NoticeMailRow[]): Promise<void> {
  const ids = rows.map(({ mailId }) => mailId);
  return attemptMail(deps, {
    kind: 'notices',
    attempts: Math.max(...rows.map((row) => row.attempts)),
    mostAttempts: MOST_ATTEMPTS,
    compose: () => Promise.resolve(compose(deps, rows)),
    end: () => endNoticeMails(deps.db, ids),
    postpone: (pauseMs) => postponeNoticeMails(deps.db, ids, pauseMs),
  });
}

/** What is sent, and to whom; undefined if nothing is to be sent. */
function compose({ origin, trustsUnconfirmed }: MailDeps, rows: readonly NoticeMailRow[]): Mail | undefined {
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

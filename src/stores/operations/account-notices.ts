import type { NoticeType } from '../../domain/webhooks/account-notice';
import { onlyRow, type Db } from '../db';
import { countRows } from '../list-total';

/** Notices of accounts (`migrations/0062_account_notices.sql`). `notice_record.sql` writes them. */
export interface AccountNotice {
  noticeId: string;
  type: NoticeType;
  data: Record<string, unknown>;
  at: Date;
  isRead: boolean;
}

interface RawNotice {
  notice_id: string;
  type: NoticeType;
  data: Record<string, unknown>;
  at: Date;
  read_at: Date | null;
}

/** Lists the notices of an account, newest first, with the total. */
export async function listAccountNotices(
  db: Db,
  page: { userId: string; unread: boolean; limit: number; beforeId?: string | undefined },
): Promise<{ rows: AccountNotice[]; total: number }> {
  const filter = '(NOT $2::boolean OR read_at IS NULL)';
  const { rows } = await db.query<RawNotice>(
    `SELECT notice_id, type, data, at, read_at FROM account_notices
      WHERE user_id = $1 AND ${filter} AND ($3::text IS NULL OR notice_id < $3) ORDER BY notice_id DESC LIMIT $4`,
    [page.userId, page.unread, page.beforeId ?? null, page.limit],
  );
  const list = { from: 'account_notices', key: 'user_id = $1', filter, order: 'notice_id DESC' };
  return {
    rows: rows.map(({ notice_id: noticeId, type, data, at, read_at: readAt }) => ({
      noticeId,
      type,
      data,
      at,
      isRead: readAt !== null,
    })),
    total: await countRows(db, list, [page.userId, page.unread]),
  };
}

/** Marks notices of an account as read: those of `ids`, or all. */
export async function markNoticesRead(db: Db, userId: string, ids: readonly string[] | null): Promise<void> {
  await db.query(
    `UPDATE account_notices SET read_at = now()
      WHERE user_id = $1 AND read_at IS NULL AND ($2::text[] IS NULL OR notice_id = ANY ($2))`,
    [userId, ids],
  );
}

export interface Waiting {
  unread: number;
  /** Disputes and slashes that wait for the account's answer. */
  disputes: number;
  slashes: number;
  /** Calls whose agents wait for the account's answer to a question. */
  questions: number;
  /** What waits for an operator; null for others. */
  decisions: number | null;
}

/** More of a kind are not counted: what is beyond looks the same to a person. */
const MOST_WAITING = 1_000;
/** SQL that counts rows, and reads at most `MOST_WAITING` of them. */
const counted = (rows: string) => `(SELECT count(*)::int FROM (SELECT FROM ${rows} LIMIT ${MOST_WAITING}) c)`;
/** A waiver is a decision when it ends this soon. */
const WAIVER_ENDS = "interval '14 days'";

/** What waits for an operator. A failed payout does until a later one pays its amount. */
const DECISIONS = [
  "disputes WHERE status = 'contested'",
  "slashes WHERE status IN ('applied', 'contested')",
  "finding_contests WHERE status = 'open'",
  `finding_waivers WHERE ended_at IS NULL AND expires_at < now() + ${WAIVER_ENDS}`,
  "payments WHERE state = 'quarantined'",
  "tax_forms WHERE status = 'submitted'",
  `(SELECT * FROM payouts WHERE status = 'failed' ORDER BY payout_id DESC LIMIT ${MOST_WAITING}) p
    WHERE NOT EXISTS (SELECT FROM payouts later WHERE later.developer_user_id = p.developer_user_id
      AND later.payout_id > p.payout_id AND later.pay_to = p.pay_to)`,
];

/** Counts what waits for an account, at most `MOST_WAITING` of each kind. */
export async function countWaiting(db: Db, userId: string, isOperator: boolean): Promise<Waiting> {
  const result = await db.query<Waiting>({
    name: 'account-waiting',
    text: `SELECT
      ${counted('account_notices n WHERE n.user_id = $1 AND n.read_at IS NULL')} AS unread,
      ${counted("disputes d WHERE d.developer_user_id = $1 AND d.status = 'open'")}
        + ${counted("disputes d JOIN dispute_offers o USING (dispute_id) WHERE d.buyer_user_id = $1 AND d.status = 'contested' AND o.status = 'open'")} AS disputes,
      ${counted("slashes s WHERE s.developer_user_id = $1 AND s.status = 'applied'")} AS slashes,
      ${counted('job_questions q WHERE q.buyer_user_id = $1 AND q.is_open')} AS questions,
      CASE WHEN $2 THEN ${DECISIONS.map(counted).join(' + ')}
      END AS decisions`,
    values: [userId, isOperator],
  });
  return onlyRow(result);
}

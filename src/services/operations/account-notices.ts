import { isNoticeType } from '../../domain/webhooks/account-notice';
import type { Db } from '../../stores/db';
import {
  countWaiting,
  listAccountNotices,
  markNoticesRead,
  type Waiting,
} from '../../stores/operations/account-notices';

export type { AccountNotice } from '../../stores/operations/account-notices';

/** What people should know of their account, and what waits for them. */
export function createAccountNotices({ pool }: { pool: Db }) {
  return {
    /**
     * Lists notices, newest first. Those of types that this release does not know are left out, but count in the total;
     * `reached` is where the list goes on behind a page that lacks some.
     */
    async list(page: { userId: string; unread: boolean; limit: number; beforeId?: string | undefined }) {
      const { rows: found, total } = await listAccountNotices(pool, page);
      const rows = found.filter(({ type }) => isNoticeType(type));
      const last = rows.length < found.length && found.length === page.limit ? found.at(-1) : undefined;
      return { rows, total, reached: last && [last.noticeId] };
    },

    waiting: (userId: string, isOperator: boolean): Promise<Waiting> =>
      countWaiting(pool, userId, isOperator),

    /** Marks some notices as read, or all of them. Ids of other accounts' notices change nothing. */
    markRead: (userId: string, ids: readonly string[] | undefined): Promise<void> =>
      markNoticesRead(pool, userId, ids ?? null),
  };
}

export type AccountNotices = ReturnType<typeof createAccountNotices>;

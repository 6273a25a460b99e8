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
    list: (page: { userId: string; unread: boolean; limit: number; beforeId?: string | undefined }) =>
      listAccountNotices(pool, page),

    waiting: (userId: string, isOperator: boolean): Promise<Waiting> =>
      countWaiting(pool, userId, isOperator),

    /** Marks some notices as read, or all of them. Ids of other accounts' notices change nothing. */
    markRead: (userId: string, ids: readonly string[] | undefined): Promise<void> =>
      markNoticesRead(pool, userId, ids ?? null),
  };
}

export type AccountNotices = ReturnType<typeof createAccountNotices>;

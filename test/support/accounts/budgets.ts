/** Time in budgets that count by day. */
import type { Db } from '../../../src/stores/db';

/**
 * Moves what an account has done a day into the past, as if it were a day later. Calls wait for it, and are decided
 * before it or after it.
 */
export async function passMidnight(owner: Db, userId: string): Promise<void> {
  await owner.query(
    `WITH locked AS MATERIALIZED (SELECT user_id FROM accounts WHERE user_id = $1 AND kind = 'wallet' FOR NO KEY UPDATE),
      calls AS (UPDATE invocations i SET invoked_at = i.invoked_at - interval '1 day' FROM locked
        WHERE i.buyer_user_id = locked.user_id),
      counted AS (UPDATE budgets b SET window_began_at = b.window_began_at - interval '1 day',
        window_ends_at = b.window_ends_at - interval '1 day' FROM locked WHERE b.user_id = locked.user_id)
     UPDATE api_keys k SET window_began_at = k.window_began_at - interval '1 day',
        window_ends_at = k.window_ends_at - interval '1 day' FROM locked WHERE k.user_id = locked.user_id`,
    [userId],
  );
}

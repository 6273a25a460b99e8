/** What operators do to payouts: say what the bank did, and pay again. */
import { MarketError } from '../domain/errors';
import type { DbPool } from '../stores/db';
import * as store from '../stores/payouts';

export function createOperatorPayouts(deps: { pool: DbPool }) {
  const { pool } = deps;

  async function existing(payoutId: string): Promise<store.PayoutRow> {
    const payout = await store.readPayout(pool, payoutId);
    if (!payout) throw new MarketError('not_found');
    return payout;
  }

  return {
    /** Ends a payout that is in a file. Throws `not_found`, `invalid_state`. */
    async settle(payoutId: string, paid: boolean, reason: string): Promise<store.PayoutRow> {
      const { status } = await existing(payoutId);
      const at = new Date();
      const end = paid ? ({ paid, at } as const) : ({ paid, reason, at } as const);
      if (status !== 'processing' || (await store.settlePayouts(pool, [payoutId], end)) === 0) {
        throw new MarketError('invalid_state', { message: `The payout is ${status}.` });
      }
      return existing(payoutId);
    },

    /**
     * What to run so that a developer is paid again for the same Monday. Throws `not_found`, and `invalid_state` for
     * a payout that is paid or on its way.
     */
    async prepareRetry(payoutId: string) {
      const { developerUserId, asOf, status } = await existing(payoutId);
      if (status !== 'failed' && status !== 'rolled_over') {
        throw new MarketError('invalid_state', { message: `The payout is ${status}.` });
      }
      return { developerUserId, asOf, attempt: await store.nextAttempt(pool, asOf) };
    },
  };
}

export type OperatorPayouts = ReturnType<typeof createOperatorPayouts>;

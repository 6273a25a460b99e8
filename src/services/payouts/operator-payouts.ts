/** Operations of operators on payouts: recording the bank's settlement, and retrying a payout. */
import { MarketError } from '../../domain/errors';
import { type DbPool, withTransaction } from '../../stores/db';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import * as store from '../../stores/payouts/payouts';
import type { OperatorRequest } from '../accounts/operator-actions';

export function createOperatorPayouts(deps: { pool: DbPool }) {
  const { pool } = deps;

  async function existing(payoutId: string): Promise<store.PayoutRow> {
    const payout = await store.readPayout(pool, payoutId);
    if (!payout) throw new MarketError('not_found');
    return payout;
  }

  return {
    /**
     * Settles a payout that is in a payment file. USDC transfers are settled by the chain instead. Throws `not_found`,
     * `invalid_state`.
     */
    async settle(payoutId: string, paid: boolean, request: OperatorRequest): Promise<store.PayoutRow> {
      const { status, fileId, amountUnits } = await existing(payoutId);
      const at = new Date();
      const end = paid ? ({ paid, at } as const) : ({ paid, reason: request.reason, at } as const);
      await withTransaction(pool, async (tx) => {
        if (
          status !== 'processing' ||
          fileId === null ||
          (await store.settlePayouts(tx, [payoutId], end)) === 0
        ) {
          throw new MarketError('invalid_state', { message: `The payout is ${status}.` });
        }
        const details = {
          result: paid ? 'paid' : 'returned',
          file_id: fileId,
          amount_units: amountUnits,
        };
        await recordOperatorAction(tx, { ...request, action: 'payout.settle', subject: payoutId, details });
      });
      return existing(payoutId);
    },

    /**
     * Prepares the run that pays a developer again for the same Monday. The audit log entry is written before it
     * starts. Throws `not_found`, or `invalid_state` unless the payout failed or rolled over.
     */
    async prepareRetry(payoutId: string, request: OperatorRequest) {
      const { developerUserId, asOf, status } = await existing(payoutId);
      if (status !== 'failed' && status !== 'rolled_over') {
        throw new MarketError('invalid_state', { message: `The payout is ${status}.` });
      }
      const attempt = await store.nextAttempt(pool, asOf);
      const details = { period_end: asOf.toISOString(), attempt };
      await recordOperatorAction(pool, { ...request, action: 'payout.retry', subject: payoutId, details });
      return { developerUserId, asOf, attempt };
    },
  };
}

export type OperatorPayouts = ReturnType<typeof createOperatorPayouts>;

import { createBatches } from '../../kit/concurrency/batches';
import {
  acceptAndPermit,
  type AcceptResult,
  type CallState,
  type ForwardedItem,
} from '../../stores/calls/invocations';
import { isLarge, type SettleItem, settleInvocations, settleLarge } from '../../stores/calls/settlements';
import { type DbPool, isDatabaseUnavailable } from '../../stores/db';

/** Maximum number of calls in one transaction, which keeps the buyer's wallet locked for some 40 ms. */
const MOST = 16;

/**
 * Acceptances and settlements of one buyer. They lock the same wallet, so those that arrive while one runs would wait
 * for it anyway: they are performed together by the next statement. Buyers do not wait for each other.
 */
export function createCallBatches({ pool }: { pool: DbPool }) {
  const options = { most: MOST, isOfOneItem: (error: unknown) => !isDatabaseUnavailable(error) };
  const accepts = createBatches<ForwardedItem, AcceptResult>({
    ...options,
    run: (items) => acceptAndPermit(pool, items),
  });
  const settlements = createBatches<SettleItem, CallState>({
    ...options,
    run: (items) => settleInvocations(pool, items),
  });
  return {
    /** Accepts or refuses a call, and places its hold with the permit to forward it. */
    accept: (item: ForwardedItem): Promise<AcceptResult> => accepts.perform(item.buyer_user_id, item),
    /** Settles a call of this buyer. */
    settle: (buyerUserId: string, item: SettleItem): Promise<CallState> =>
      isLarge(item) ? settleLarge(pool, item) : settlements.perform(buyerUserId, item),
  };
}

export type CallBatches = ReturnType<typeof createCallBatches>;

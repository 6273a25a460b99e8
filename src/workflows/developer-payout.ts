/** One developer's share of a Monday (docs/payouts.md): reserved once, or recorded with what it waits for. */
import { proxyLocalActivities } from '@temporalio/workflow';
import type { PayoutActivities } from '../activities/payouts';
import type { PayoutShare } from '../domain/payouts/payout';

/**
 * Moves money, so it is retried until Postgres has answered. A local activity, because it is one SQL call of some
 * milliseconds: for two thousand developers, ordinary activities would cost more than the work.
 */
const { reservePayout } = proxyLocalActivities<PayoutActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
  localRetryThreshold: '2s',
});

/** Returns true when there is a payout to disburse. */
export async function developerPayout(share: PayoutShare): Promise<boolean> {
  let payout = await reservePayout(share);
  // Each call takes lots for two seconds, so that a share of any size is reserved.
  while (payout?.status === 'reserving') payout = await reservePayout(share);
  return payout?.status === 'pending' || payout?.status === 'processing';
}

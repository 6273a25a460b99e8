/** One developer's share of a Monday (docs/payouts.md): reserved once, or recorded with what it waits for. */
import { proxyLocalActivities } from '@temporalio/workflow';
import type { PayoutActivities } from '../activities/payouts';
import type { PayoutShare } from '../domain/payouts/payout';
import { show } from './details';

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
  const week = share.asOf.slice(0, 10);
  show({ state: `Reserves the matured earnings of ${share.developerUserId} for the Monday ${week}` });
  let payout = await reservePayout(share);
  // Each call takes lots for two seconds, so that a share of any size is reserved.
  while (payout?.status === 'reserving') payout = await reservePayout(share);
  show({
    state: payout ? `The payout ${payout.payoutId} is ${payout.status}` : 'Nothing is due',
    credits: payout ? [`payable → payout clearing, \`payout/${payout.payoutId}/reserve\``] : [],
    api: payout ? [`GET /v1/billing/developer/payouts/${payout.payoutId}`] : [],
  });
  return payout?.status === 'pending' || payout?.status === 'processing';
}

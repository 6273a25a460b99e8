/** One developer's share of a Monday (docs/payouts.md): reserved once, or written down with what it waits for. */
import { proxyActivities } from '@temporalio/workflow';
import type { PayoutActivities } from '../activities/payouts';
import type { PayoutShare } from '../domain/payout';

const { reservePayout } = proxyActivities<PayoutActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
});

/** True when there is money on its way. */
export async function developerPayout(share: PayoutShare): Promise<boolean> {
  const payout = await reservePayout(share);
  return payout?.status === 'pending' || payout?.status === 'processing';
}

/** One developer's share of a Monday (docs/payouts.md): reserved once, or written down with what it waits for. */
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { PayoutActivities } from '../activities/payouts';
import type { PayoutShare } from '../domain/payouts/payout';

/** Money moves: retried until Postgres has answered. */
const options = {
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
} as const;
const { reservePayout } = proxyActivities<PayoutActivities>(options);
/** One SQL call of some milliseconds: with two thousand of them, an activity of its own would cost more than the work. */
const inPlace = proxyLocalActivities<PayoutActivities>({ ...options, localRetryThreshold: '2s' });

/** True when there is money on its way. */
export async function developerPayout(share: PayoutShare): Promise<boolean> {
  const payout = await (share.inPlace ? inPlace.reservePayout(share) : reservePayout(share));
  return payout?.status === 'pending' || payout?.status === 'processing';
}

/** Deletes data whose retention has expired (contract, "Invocation"). A Schedule starts it every ten minutes. */
import { proxyActivities } from '@temporalio/workflow';
import type { RetentionActivities } from '../activities/retention';

const { purgeExpired } = proxyActivities<RetentionActivities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1s', maximumInterval: '30s' },
});

export async function retentionSweep(): Promise<{ answers: number; waiters: number; counters: number }> {
  return purgeExpired();
}

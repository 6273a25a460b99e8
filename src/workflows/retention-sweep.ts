/** Deletes data whose retention has expired (contract, "Invocation"). A Schedule starts it every ten minutes. */
import { proxyActivities } from '@temporalio/workflow';
import type { RetentionActivities } from '../activities/retention';
import { show } from './details';

const { purgeExpired } = proxyActivities<RetentionActivities>({
  startToCloseTimeout: '5m',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1s', maximumInterval: '30s' },
});

const AGAIN =
  'the Schedule starts the next sweep every ten minutes; a sweep that is cancelled or terminated loses nothing';

export async function retentionSweep(): Promise<{ answers: number; waiters: number; counters: number }> {
  show({
    state: 'Deletes stored answers, attachments of old disputes, and counters of past months in batches',
    then: AGAIN,
    credits: ['none move'],
  });
  const deleted = await purgeExpired();
  const counts = Object.entries(deleted).map(([kind, count]) => `${count} ${kind}`);
  show({ state: `Ended. Deleted: ${counts.join(', ')}`, then: AGAIN, credits: ['none move'] });
  return deleted;
}

import { Context } from '@temporalio/activity';
import type { PurgedTotals, Retention } from '../services/operations/retention';

export type RetentionActivities = ReturnType<typeof createRetentionActivities>;

/** The activity of the `retentionSweep` workflow. Its result and heartbeats contain counts only, no data. */
export function createRetentionActivities(retention: Retention) {
  return {
    async purgeExpired(): Promise<PurgedTotals> {
      const context = Context.current();
      return retention.purge(context.cancellationSignal, (purged) => context.heartbeat(purged));
    },
  };
}

import { Context } from '@temporalio/activity';
import type { Retention } from '../services/operations/retention';

export type RetentionActivities = ReturnType<typeof createRetentionActivities>;

/** The one step of the `retentionSweep` workflow, told to Temporal: how much went, never what. */
export function createRetentionActivities(retention: Retention) {
  return {
    async purgeExpired(): Promise<{ answers: number; waiters: number }> {
      const context = Context.current();
      return retention.purge(context.cancellationSignal, (purged) => context.heartbeat(purged));
    },
  };
}

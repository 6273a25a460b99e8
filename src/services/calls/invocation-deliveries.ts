/**
 * Tracks the callers of this process that wait for the answer of a call with an idempotency key. The stored answer of
 * an agent with zero retention can then be deleted as soon as all callers are served (contract, "Invocation"). If a
 * caller missed the answer, it stays available for a replay until it expires.
 */
import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import { markServed } from '../../stores/operations/retention';

/** Reports once how a caller's wait ended: true if the complete answer was written to the caller. */
export type Served = (delivered: boolean) => void;

export interface InvocationDeliveriesDeps {
  pool: DbPool;
  /** Id of this process among the waiters. */
  owner: string;
  logger: Logger;
}

interface Waiting {
  callers: number;
  missed: boolean;
}

export function createInvocationDeliveries(deps: InvocationDeliveriesDeps) {
  const waiting = new Map<string, Waiting>();
  const forgetting = new Map<string, Promise<void>>();

  async function forget(invocationId: string, allServed: boolean): Promise<void> {
    try {
      await markServed(deps.pool, invocationId, deps.owner, allServed);
    } catch (error) {
      // The answer expires by itself, within the hour.
      deps.logger.warn(
        { err: error, invocationId },
        'could not delete a delivered answer; it expires within the hour',
      );
    } finally {
      forgetting.delete(invocationId);
    }
  }

  return {
    /** Registers a waiting caller. Call the returned function exactly when its wait is over. */
    join(invocationId: string): Served {
      const entry = waiting.get(invocationId) ?? { callers: 0, missed: false };
      waiting.set(invocationId, entry);
      entry.callers += 1;
      let isReported = false;
      return (delivered) => {
        if (isReported) return;
        isReported = true;
        entry.callers -= 1;
        entry.missed ||= !delivered;
        if (entry.callers > 0) return;
        waiting.delete(invocationId);
        forgetting.set(invocationId, forget(invocationId, !entry.missed));
      };
    },

    /** Resolves when no deletion of the call's answer is running in this process, so that a following read is final. */
    async quiet(invocationId: string): Promise<void> {
      await forgetting.get(invocationId);
    },
  };
}

export type InvocationDeliveries = ReturnType<typeof createInvocationDeliveries>;

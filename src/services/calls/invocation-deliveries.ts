/**
 * Who still waits for the answer of a keyed call in this process, so that the stored answer of an agent that retains
 * nothing can go as soon as everybody was served (contract, "Invocation"). An answer that somebody missed stays for
 * its replay, until it expires.
 */
import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import { markServed } from '../../stores/operations/retention';

/** Tells once how a caller's wait ended: true when all of the answer was handed to the caller. */
export type Served = (delivered: boolean) => void;

export interface InvocationDeliveriesDeps {
  pool: DbPool;
  /** Names this process among the waiters. */
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
      deps.logger.warn({ err: error, invocationId }, 'a delivered answer could not be deleted yet');
    } finally {
      forgetting.delete(invocationId);
    }
  }

  return {
    /** A caller begins to wait; call what is returned exactly when the wait is over. */
    join(invocationId: string): Served {
      const entry = waiting.get(invocationId) ?? { callers: 0, missed: false };
      waiting.set(invocationId, entry);
      entry.callers += 1;
      let told = false;
      return (delivered) => {
        if (told) return;
        told = true;
        entry.callers -= 1;
        entry.missed ||= !delivered;
        if (entry.callers > 0) return;
        waiting.delete(invocationId);
        forgetting.set(invocationId, forget(invocationId, !entry.missed));
      };
    },

    /** Resolves when this process deletes nothing of the call any more: what is read then is what there is. */
    async quiet(invocationId: string): Promise<void> {
      await forgetting.get(invocationId);
    },
  };
}

export type InvocationDeliveries = ReturnType<typeof createInvocationDeliveries>;

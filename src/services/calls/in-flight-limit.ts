import type { DbPool } from '../../stores/db';
import { findLongCalls } from '../../stores/calls/long-calls';

/**
 * Counts the calls of each buyer that this process admits or performs, so that a buyer past the limit is refused without
 * a statement. The database counts the calls of all processes when it accepts one.
 */
export interface InFlightLimit {
  /** Calls of all buyers. */
  readonly size: number;
  /** Counts a call. `isPast`: there were as many as the limit before it. `leave` ends the count, once. */
  enter(buyerUserId: string): { isPast: boolean; leave: () => void };
}

export function createInFlightLimit(most: number): InFlightLimit {
  const counts = new Map<string, number>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    enter(buyerUserId) {
      const before = counts.get(buyerUserId) ?? 0;
      counts.set(buyerUserId, before + 1);
      size += 1;
      let isIn = true;
      const leave = () => {
        if (!isIn) return;
        isIn = false;
        size -= 1;
        const left = (counts.get(buyerUserId) ?? 1) - 1;
        if (left > 0) counts.set(buyerUserId, left);
        else counts.delete(buyerUserId);
      };
      return { isPast: before >= most, leave };
    },
  };
}

/** Returns the loop that keeps the database's count cheap behind a long snapshot (ADR 0145). Several processes may run it. */
export const createLongCalls =
  ({ pool }: { pool: DbPool }) =>
  () =>
    findLongCalls(pool);

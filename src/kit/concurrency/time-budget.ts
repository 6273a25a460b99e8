/** Slow runs in a row after which a key is over its budget. One may be slow because the machine is busy. */
import { BoundedMap } from '../bounded-map';

const MOST_SLOW_RUNS = 3;
const OVER_FOR_MS = 60_000;
const MAX_KEYS = 1_000;

/**
 * Measures short work that cannot be interrupted. A key whose work took longer than `mostMs` three times in a row is
 * over its budget for a minute; the caller runs its work elsewhere, e.g. in a thread.
 */
export function createTimeBudget(mostMs: number, now: () => number = () => performance.now()) {
  const slow = new BoundedMap<string, { runs: number; untilMs: number }>(MAX_KEYS);

  function note(key: string, tookMs: number): void {
    if (tookMs <= mostMs) {
      if (slow.size > 0) slow.delete(key);
      return;
    }
    const runs = (slow.get(key)?.runs ?? 0) + 1;
    slow.set(key, { runs, untilMs: now() + OVER_FOR_MS });
  }

  return {
    isOver(key: string): boolean {
      const known = slow.get(key);
      return known !== undefined && known.runs >= MOST_SLOW_RUNS && known.untilMs > now();
    },

    run<T>(key: string, work: () => T): T {
      const startedAt = now();
      const result = work();
      note(key, now() - startedAt);
      return result;
    },
  };
}

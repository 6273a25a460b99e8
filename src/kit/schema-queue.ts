/**
 * A fair queue: work waits in line per key (one schema, mostly), and keys take turns, so that a flood for one agent
 * does not delay the calls of another. Keys that overran their deadline lately share one slow lane: never more than
 * one worker at a time runs them.
 */
export interface QueuedWork {
  key: string;
}

const SLOW_FOR_MS = 60_000;
const MAX_SLOW_KEYS = 1_000;

export function createFairQueue<W extends QueuedWork>(now: () => number) {
  /** In the order of turns. */
  const lines = new Map<string, W[]>();
  const slowUntil = new Map<string, number>();

  function isSlow(key: string): boolean {
    const until = slowUntil.get(key);
    if (until === undefined) return false;
    if (until > now()) return true;
    slowUntil.delete(key);
    return false;
  }

  return {
    isSlow,

    push(work: W): void {
      const line = lines.get(work.key);
      if (line) line.push(work);
      else lines.set(work.key, [work]);
    },

    /** Back to the head of its line. */
    unshift(work: W): void {
      const line = lines.get(work.key);
      if (line) line.unshift(work);
      else lines.set(work.key, [work]);
    },

    /** The next work whose turn it is; `slowLaneBusy` leaves the slow keys waiting. */
    shift(slowLaneBusy: boolean): W | undefined {
      for (const [key, line] of lines) {
        if (slowLaneBusy && isSlow(key)) continue;
        const work = line.shift();
        lines.delete(key);
        if (line.length > 0) lines.set(key, line);
        if (work) return work;
      }
      return undefined;
    },

    markSlow(key: string): void {
      slowUntil.delete(key);
      slowUntil.set(key, now() + SLOW_FOR_MS);
      for (const oldest of slowUntil.keys()) {
        if (slowUntil.size <= MAX_SLOW_KEYS) break;
        slowUntil.delete(oldest);
      }
    },

    drain(): W[] {
      const all = [...lines.values()].flat();
      lines.clear();
      return all;
    },
  };
}

/**
 * A fair queue. Work waits in one line per key (usually one schema), and keys take turns, so that a flood for one
 * agent does not delay calls of another. Heavy work, and keys that recently exceeded their deadline, share one slow
 * lane: only one worker at a time runs them.
 */
export interface QueuedWork {
  key: string;
  /** Known to need much time or memory. */
  heavy: boolean;
}

const SLOW_FOR_MS = 60_000;
const MAX_SLOW_KEYS = 1_000;

export function createFairQueue<W extends QueuedWork>(now: () => number) {
  /** Lines by key, in the order of their turns. */
  const lines = new Map<string, W[]>();
  const slowUntil = new Map<string, number>();

  function isSlow({ key, heavy }: QueuedWork): boolean {
    const until = slowUntil.get(key);
    if (heavy || until === undefined) return heavy;
    if (until > now()) return true;
    slowUntil.delete(key);
    return false;
  }

  /** Name of the line: light work does not wait behind heavy work of the same key. */
  function lineOf({ key, heavy }: QueuedWork): string {
    return `${heavy ? 'heavy' : 'light'} ${key}`;
  }

  return {
    isSlow,

    push(work: W): void {
      const line = lines.get(lineOf(work));
      if (line) line.push(work);
      else lines.set(lineOf(work), [work]);
    },

    /** Puts work back at the head of its line. */
    unshift(work: W): void {
      const line = lines.get(lineOf(work));
      if (line) line.unshift(work);
      else lines.set(lineOf(work), [work]);
    },

    /** Returns the next work in turn. With `slowLaneBusy`, slow work keeps waiting. */
    shift(slowLaneBusy: boolean): W | undefined {
      for (const [name, line] of lines) {
        const [work] = line;
        if (work && slowLaneBusy && isSlow(work)) continue;
        line.shift();
        lines.delete(name);
        if (line.length > 0) lines.set(name, line);
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

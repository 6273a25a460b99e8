import { createRecentTimes } from '../concurrency/recent-times';
import { BoundedMap } from '../bounded-map';

/**
 * A fair queue. Work waits in one line per key (usually one schema), and keys take turns, so that a flood for one
 * agent does not delay calls of another. Heavy work, and keys that recently exceeded their deadline, share one slow
 * lane: only one worker at a time runs them. Of heavy work, that of the key with the least recent time goes first, so
 * that a tenant with cheap schemas waits for one expensive schema of others, not for one of each.
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
  const slow = createSlowKeys(now);
  const isSlow = ({ key, heavy }: QueuedWork) => heavy || slow.has(key);
  const { charge, recentMs } = createRecentTimes(now);

  /** Name of the line: light work does not wait behind heavy work of the same key. */
  function lineOf({ key, heavy }: QueuedWork): string {
    return `${heavy ? 'heavy' : 'light'} ${key}`;
  }

  /** Of the lines of heavy work, that of the key which used the least time lately; else the one whose turn it is. */
  function cheapestHeavy(first: string): string {
    let [chosen, least] = [first, Infinity];
    for (const [name, [work]] of lines) {
      const used = work?.heavy ? recentMs(work.key) : Infinity;
      if (used < least) [chosen, least] = [name, used];
    }
    return chosen;
  }

  /** The line whose work is next; undefined if all wait. */
  function nextLine(slowLaneBusy: boolean): string | undefined {
    for (const [name, [work]] of lines) {
      if (!work || (slowLaneBusy && isSlow(work))) continue;
      return work.heavy ? cheapestHeavy(name) : name;
    }
    return undefined;
  }

  return {
    isSlow,

    /** Charges the time that heavy work took. */
    charge,

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
      const name = nextLine(slowLaneBusy);
      const line = name === undefined ? undefined : lines.get(name);
      if (name === undefined || !line) return undefined;
      const work = line.shift();
      lines.delete(name);
      if (line.length > 0) lines.set(name, line);
      return work;
    },

    markSlow: slow.mark,

    drain(): W[] {
      const all = [...lines.values()].flat();
      lines.clear();
      return all;
    },
  };
}

/** Keys that exceeded their deadline lately. */
function createSlowKeys(now: () => number) {
  const slowUntil = new BoundedMap<string, number>(MAX_SLOW_KEYS);
  return {
    has(key: string): boolean {
      const until = slowUntil.get(key);
      if (until === undefined) return false;
      if (until > now()) return true;
      slowUntil.delete(key);
      return false;
    },
    mark: (key: string) => void slowUntil.set(key, now() + SLOW_FOR_MS),
  };
}

import { BoundedMap } from '../bounded-map';

const SLOW_FOR_MS = 60_000;
const MAX_SLOW_KEYS = 1_000;

/** Keys of schemas that exceeded their time or memory within the last minute. */
export interface SlowKeys {
  has(key: string): boolean;
  mark(key: string): void;
}

export function createSlowKeys(now: () => number = () => Date.now()): SlowKeys {
  const slowUntil = new BoundedMap<string, number>(MAX_SLOW_KEYS);
  return {
    has(key) {
      const until = slowUntil.get(key);
      if (until === undefined) return false;
      if (until > now()) return true;
      slowUntil.delete(key);
      return false;
    },
    mark: (key) => void slowUntil.set(key, now() + SLOW_FOR_MS),
  };
}

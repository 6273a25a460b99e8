/**
 * A semaphore that is fair between keys. Waiting work is served round-robin by key: a thousand waiters of one key delay
 * the first waiter of another key by one turn, not by a thousand.
 */
export interface FairSlots {
  /**
   * Runs `work` once a slot is free. Rejects with the error of `work`, or with `late()` after `patienceMs` of waiting.
   */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Number of waiters. */
  readonly waiting: number;
}

export interface FairSlotsOptions {
  slots: number;
  patienceMs: number;
  late: () => Error;
}

export function createFairSlots({ slots, patienceMs, late }: FairSlotsOptions): FairSlots {
  /** Waiters by key, in the order of the keys' turns. */
  const lines = new Map<string, Set<() => void>>();
  let free = slots;

  function leave(key: string, turn: () => void): void {
    const line = lines.get(key);
    line?.delete(turn);
    if (line?.size === 0) lines.delete(key);
  }

  /** Gives the slot to the first waiter of the first key and moves that key to the end. */
  function passOn(): void {
    const [key, line] = lines.entries().next().value ?? [];
    const turn = line?.values().next().value;
    if (key === undefined || !line || !turn) {
      free += 1;
      return;
    }
    lines.delete(key);
    line.delete(turn);
    if (line.size > 0) lines.set(key, line);
    turn();
  }

  function turnOf(key: string): Promise<void> {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const turn = () => {
        clearTimeout(patience);
        resolve();
      };
      const patience = setTimeout(() => {
        leave(key, turn);
        reject(late());
      }, patienceMs);
      const line = lines.get(key) ?? new Set();
      lines.set(key, line.add(turn));
    });
  }

  return {
    get waiting() {
      return [...lines.values()].reduce((sum, line) => sum + line.size, 0);
    },
    async run(key, work) {
      await turnOf(key);
      try {
        return await work();
      } finally {
        passOn();
      }
    },
  };
}

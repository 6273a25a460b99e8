/**
 * At most so many pieces of work at once; the others wait, and each key has its turn in the same measure: a thousand
 * that wait under one key delay another key's first one by one turn, not by a thousand.
 */
export interface FairSlots {
  /** Runs `work` when its turn comes. Rejects with what `work` throws, or with `late()` after `patienceMs` of waiting. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** How many wait. */
  readonly waiting: number;
}

export interface FairSlotsOptions {
  slots: number;
  patienceMs: number;
  late: () => Error;
}

export function createFairSlots({ slots, patienceMs, late }: FairSlotsOptions): FairSlots {
  /** Who waits, by key; the first key has the next turn. */
  const lines = new Map<string, Set<() => void>>();
  let free = slots;

  function leave(key: string, turn: () => void): void {
    const line = lines.get(key);
    line?.delete(turn);
    if (line?.size === 0) lines.delete(key);
  }

  /** Gives the slot to the first of the first key, which then is the last key. */
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

/**
 * A semaphore that is fair between keys. Waiting work is served round-robin by key: a thousand waiters of one key delay
 * the first waiter of another key by one turn, not by a thousand. Work without a key is served before all others.
 */
export interface FairSlots {
  /**
   * Runs `work` once a slot is free. Rejects with the error of `work`, or with the errors of `take`.
   */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /**
   * Resolves once a slot is free; give it back with `give`. A null key is served first. Rejects with `crowded()` when
   * too many wait under the key, and with `late()` after `patienceMs`.
   */
  acquire(key: string | null): Promise<void>;
  /** Gives a slot back. `useful`: whether the work succeeded in using it. */
  give(useful?: boolean): void;
  /** Number of waiters. */
  readonly waiting: number;
}

export interface FairSlotsOptions {
  slots: number;
  patienceMs: number;
  /** `moved`: whether a slot was given back after useful work while this waiter waited. */
  late: (moved: boolean) => Error;
  /** How many may wait under one key; default: any number. */
  mostWaiting?: number;
  crowded?: () => Error;
}

type Turn = () => void;

/** Waiters without a key, and waiters by key in the order of the keys' turns. */
function createQueue() {
  const lines = new Map<string, Set<Turn>>();
  const urgent = new Set<Turn>();
  return {
    get size() {
      return [...lines.values()].reduce((sum, line) => sum + line.size, urgent.size);
    },
    length: (key: string): number => lines.get(key)?.size ?? 0,
    join(key: string | null, turn: Turn): void {
      if (key === null) urgent.add(turn);
      else lines.set(key, (lines.get(key) ?? new Set()).add(turn));
    },
    leave(key: string | null, turn: Turn): void {
      if (key === null) urgent.delete(turn);
      const line = key === null ? undefined : lines.get(key);
      line?.delete(turn);
      if (key !== null && line?.size === 0) lines.delete(key);
    },
    /** Takes the next waiter: of those without a key, then of the first key, which moves to the end. */
    next(): Turn | undefined {
      const [first] = urgent;
      if (first) {
        urgent.delete(first);
        return first;
      }
      const [key, line] = lines.entries().next().value ?? [];
      const turn = line?.values().next().value;
      if (key === undefined || !line || !turn) return undefined;
      lines.delete(key);
      line.delete(turn);
      if (line.size > 0) lines.set(key, line);
      return turn;
    },
  };
}

export function createFairSlots(options: FairSlotsOptions): FairSlots {
  const { slots, patienceMs, late, mostWaiting = Infinity, crowded = () => late(true) } = options;
  const queue = createQueue();
  let free = slots;
  let useful = 0;

  function give(wasUseful = true): void {
    if (wasUseful) useful += 1;
    const turn = queue.next();
    if (turn) turn();
    else free += 1;
  }

  function acquire(key: string | null): Promise<void> {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    if (key !== null && queue.length(key) >= mostWaiting) return Promise.reject(crowded());
    return new Promise((resolve, reject) => {
      const before = useful;
      const turn = () => {
        clearTimeout(patience);
        resolve();
      };
      const patience = setTimeout(() => {
        queue.leave(key, turn);
        reject(late(useful > before));
      }, patienceMs);
      queue.join(key, turn);
    });
  }

  return {
    get waiting() {
      return queue.size;
    },
    acquire: acquire,
    give,
    async run(key, work) {
      await acquire(key);
      try {
        return await work();
      } finally {
        give();
      }
    },
  };
}

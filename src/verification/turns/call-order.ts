/**
 * The common order of the calls of a run. Each stage that runs in this process joins; its calls wait for those of the
 * other that come before, and no two are made at once. A stage that is alone waits for nothing.
 */
export interface CallOrder {
  join(): Place;
}

/** The place of one stage. */
export interface Place {
  /** Makes the calls of a slot. Each slot of a stage has a higher number than the one before. */
  run<T>(slot: number, work: () => Promise<T>): Promise<T>;
  /** Makes no further calls. */
  leave(): void;
}

export function createCallOrder(): CallOrder {
  /** For each stage the lowest slot that may follow; it is not known before the plan is drawn. */
  const next = new Map<symbol, number>();
  const waiting = new Set<{ isDue: () => boolean; begin: () => void }>();
  let isBusy = false;

  function wake(): void {
    for (const one of waiting) {
      if (isBusy || !one.isDue()) continue;
      waiting.delete(one);
      isBusy = true;
      one.begin();
    }
  }

  return {
    join() {
      const own = Symbol('stage');
      next.set(own, -Infinity);
      return {
        async run(slot, work) {
          next.set(own, slot);
          const isDue = () => [...next].every(([stage, at]) => stage === own || at >= slot);
          await new Promise<void>((begin) => {
            waiting.add({ isDue, begin });
            wake();
          });
          try {
            return await work();
          } finally {
            isBusy = false;
            next.set(own, slot + 1);
            wake();
          }
        },
        leave() {
          next.delete(own);
          wake();
        },
      };
    },
  };
}

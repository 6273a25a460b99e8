/**
 * The common order of the calls of a run. Each stage that runs in this process joins; its calls wait for those of the
 * other that come before. No two are made at once, unless the agent is slow: then several are, in the same order. A
 * stage that is alone waits for nothing.
 */
export interface CallOrder {
  join(): Place;
}

/** The place of one stage. */
export interface Place {
  /** Makes the calls of a slot. Each slot of a stage has a higher number than the one before. */
  run<T>(slot: number, work: () => Promise<T>): Promise<T>;
  /** Resolves when the calls of a slot have begun; `done` when they are over. */
  begin<T>(slot: number, work: () => Promise<T>): Promise<{ done: Promise<T> }>;
  /** Lets so many slots of the run go on at once from now on. */
  widen(slots: number): void;
  /** Makes no further calls. */
  leave(): void;
}

export function createCallOrder(): CallOrder {
  /** For each stage the lowest slot that may follow; it is not known before the plan is drawn. */
  const next = new Map<symbol, number>();
  const waiting = new Set<{ isDue: () => boolean; begin: () => void }>();
  let width = 1;
  let open = 0;

  function wake(): void {
    for (const one of waiting) {
      if (open >= width || !one.isDue()) continue;
      waiting.delete(one);
      open += 1;
      one.begin();
    }
  }

  function placeOf(own: symbol): Place {
    async function begin<T>(slot: number, work: () => Promise<T>): Promise<{ done: Promise<T> }> {
      next.set(own, slot);
      const isDue = () => [...next].every(([stage, at]) => stage === own || at >= slot);
      await new Promise<void>((resolve) => {
        waiting.add({ isDue, begin: resolve });
        wake();
      });
      const done = work().finally(() => {
        open -= 1;
        wake();
      });
      // Its owner awaits it; meanwhile a failure is no unhandled one.
      done.catch(() => undefined);
      // A slot of the other stage may follow as soon as this one is over, or at once if several go on.
      if (width === 1) void done.finally(() => follow(slot)).catch(() => undefined);
      else follow(slot);
      return { done };
    }

    function follow(slot: number): void {
      if (next.has(own)) next.set(own, Math.max(next.get(own) ?? slot, slot + 1));
      wake();
    }

    return {
      begin,
      run: async (slot, work) => (await begin(slot, work)).done,
      widen(slots) {
        width = Math.max(width, slots);
        wake();
      },
      leave() {
        next.delete(own);
        wake();
      },
    };
  }

  return {
    join() {
      const own = Symbol('stage');
      next.set(own, -Infinity);
      return placeOf(own);
    },
  };
}

/** Runs at most `width` tasks at once; further tasks wait in the order in which they arrived. */
export interface Semaphore {
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Creates a semaphore with `width` permits. */
export function createSemaphore(width: number): Semaphore {
  const waiting: (() => void)[] = [];
  let busy = 0;
  return {
    async run(work) {
      if (busy < width) busy += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else busy -= 1;
      }
    },
  };
}

/** At most `width` pieces of work at once; the others wait in the order in which they came. */
export interface Gate {
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createGate(width: number): Gate {
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

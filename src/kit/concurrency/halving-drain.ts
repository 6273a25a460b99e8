/**
 * Returns a function that takes batches until a batch is smaller than asked for, and returns how many items it took in
 * all. After a batch that fails, the next turn begins with half of it; a batch that ends well doubles the size again.
 */
export function createHalvingDrain(most: number, drainUpTo: (size: number) => Promise<number>) {
  let size = most;
  return async function drain(): Promise<number> {
    for (let total = 0; ;) {
      const asked = size;
      size = Math.max(1, Math.floor(asked / 2));
      const taken = await drainUpTo(asked);
      size = Math.min(most, asked * 2);
      total += taken;
      if (taken < asked) return total;
    }
  };
}

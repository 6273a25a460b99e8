/**
 * Batches of work that one bad item cannot hold up. A batch that fails is halved and never tried whole again; an item
 * that fails alone is set aside for a time, and the turn goes on with the others.
 */
export interface HalvingBatchesOptions {
  /** Items of a batch at most. */
  most: number;
  /** How long an item that failed alone is left out. Default: ten minutes. */
  asideMs?: number;
  /** How many failures end a turn: then it is not one item that fails. Default: 12. */
  mostFailures?: number;
  now?: () => number;
}

interface Work {
  /** Lists up to `limit` items, without those set aside. */
  find: (limit: number, aside: readonly string[]) => Promise<readonly string[]>;
  /** Processes a batch in one transaction. Returns how many items it processed; the others wait for the next turn. */
  process: (batch: readonly string[]) => Promise<number>;
}

const DEFAULTS = { asideMs: 600_000, mostFailures: 12 };

/** The size of the next batch outlives a turn: after a failure it grows again with each batch that ends well. */
export function createHalvingBatches(options: HalvingBatchesOptions) {
  const { most, asideMs, mostFailures, now = Date.now } = { ...DEFAULTS, ...options };
  const aside = new Map<string, number>();
  let size = most;

  function namesAside(): string[] {
    for (const [item, until] of aside) if (until <= now()) aside.delete(item);
    return [...aside.keys()];
  }

  return {
    /**
     * Processes all items. Returns how many. Throws at the end of the turn if an item failed alone in it, and at once
     * after too many failures.
     */
    async turn({ find, process }: Work): Promise<number> {
      const failures: unknown[] = [];
      const alone: string[] = [];
      let done = 0;
      for (;;) {
        const limit = size;
        const batch = await find(limit, namesAside());
        if (batch.length === 0) break;
        try {
          const processed = await process(batch);
          done += processed;
          size = Math.min(most, size * 2);
          if (batch.length < limit || processed < batch.length) break;
        } catch (error) {
          failures.push(error);
          const [only] = batch;
          if (batch.length === 1 && only !== undefined) {
            aside.set(only, now() + asideMs);
            alone.push(only);
          }
          size = Math.max(1, Math.floor(batch.length / 2));
          if (failures.length >= mostFailures) throw error;
        }
      }
      if (alone.length === 0) return done;
      throw new Error(`set aside after it failed alone: ${alone.join(', ')}`, { cause: failures.at(-1) });
    },
  };
}

import { AsyncResource } from 'node:async_hooks';

export interface BatchesOptions<I, R> {
  /** Performs items of one key, of which there is at least one, together. Resolves to one result per item, in order. */
  run: (items: I[]) => Promise<R[]>;
  /** Maximum number of items that are performed together. */
  most: number;
  /** True for a failure of a batch that one of its items may have caused: each item is then performed alone. */
  isOfOneItem: (error: unknown) => boolean;
}

interface Waiting<I, R> {
  item: I;
  /** The context of the caller, for the lane and the trace of what runs. */
  context: AsyncResource;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/**
 * Performs items of one key one batch after another. The first item is performed at once and alone; those that arrive
 * meanwhile are performed together when it has ended. Keys do not wait for each other.
 */
export function createBatches<I, R>(options: BatchesOptions<I, R>) {
  /** The items that wait, for each key with a batch under way. */
  const queues = new Map<string, Waiting<I, R>[]>();

  /** Resolves to the result of the item. Rejects with the failure of the item, or of its batch. */
  function perform(key: string, item: I): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      const one = { item, context: new AsyncResource('Batches'), resolve, reject };
      const waiting = queues.get(key);
      if (waiting) {
        waiting.push(one);
        return;
      }
      const queue: Waiting<I, R>[] = [];
      queues.set(key, queue);
      void drain(key, queue, [one]);
    });
  }

  async function drain(key: string, queue: Waiting<I, R>[], first: Waiting<I, R>[]): Promise<void> {
    for (let batch = first; batch.length > 0; batch = queue.splice(0, options.most)) {
      await runBatch(options, batch);
    }
    queues.delete(key);
  }

  return { perform };
}

/** Runs a batch in the context of its first item and tells each caller. Never rejects. */
async function runBatch<I, R>(options: BatchesOptions<I, R>, batch: Waiting<I, R>[]): Promise<void> {
  try {
    const items = batch.map(({ item }) => item);
    const results = await batch[0]?.context.runInAsyncScope(options.run, undefined, items);
    if (results?.length !== batch.length) throw new Error('a batch returned another number of results');
    batch.forEach(({ resolve }, at) => resolve(results[at] as R));
  } catch (error) {
    if (batch.length > 1 && options.isOfOneItem(error)) {
      for (const one of batch) await runBatch(options, [one]);
    } else {
      batch.forEach(({ reject }) => reject(error));
    }
  }
}

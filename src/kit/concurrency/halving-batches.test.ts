import { createHalvingBatches } from './halving-batches';

/** A queue whose batches fail while they contain a bad item. */
function queueOf(items: readonly string[], bad: readonly string[]) {
  const waiting = [...items];
  const tried: number[] = [];
  return {
    waiting,
    tried,
    find: async (limit: number, aside: readonly string[]) =>
      waiting.filter((item) => !aside.includes(item)).slice(0, limit),
    process: async (batch: readonly string[]) => {
      tried.push(batch.length);
      if (batch.some((item) => bad.includes(item))) throw new Error('a bad item');
      waiting.splice(0, waiting.length, ...waiting.filter((item) => !batch.includes(item)));
      return batch.length;
    },
  };
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `item ${n}`);

it('processes everything in batches of the largest size', async () => {
  const queue = queueOf(names(25), []);
  expect(await createHalvingBatches({ most: 10 }).turn(queue)).toBe(25);
  expect(queue.tried).toEqual([10, 10, 5]);
});

it('halves a batch that fails until one item fails alone, and processes all the others in the same turn', async () => {
  const queue = queueOf(names(20), ['item 3']);
  const batches = createHalvingBatches({ most: 8 });
  await expect(batches.turn(queue)).rejects.toThrow('set aside after it failed alone: item 3');
  expect(queue.waiting).toEqual(['item 3']);
  expect(queue.tried.slice(0, 3)).toEqual([8, 4, 2]);
});

it('leaves an item that failed alone out of later turns, until its time is over', async () => {
  let now = 0;
  const queue = queueOf(names(3), ['item 0']);
  const batches = createHalvingBatches({ most: 4, asideMs: 1_000, now: () => now });
  await expect(batches.turn(queue)).rejects.toThrow('item 0');
  expect(await batches.turn(queue)).toBe(0);
  now = 1_001;
  await expect(batches.turn(queue)).rejects.toThrow('item 0');
});

it('ends a turn in which everything fails, and begins the next one with small batches', async () => {
  const queue = queueOf(names(1_000), names(1_000));
  const batches = createHalvingBatches({ most: 200, mostFailures: 5 });
  await expect(batches.turn(queue)).rejects.toThrow('a bad item');
  expect(queue.tried).toEqual([200, 100, 50, 25, 12]);
  await expect(batches.turn(queue)).rejects.toThrow('a bad item');
  expect(queue.tried[5]).toBe(6);
});

it('leaves items that another process holds for the next turn', async () => {
  const queue = queueOf(names(10), []);
  const turn = createHalvingBatches({ most: 5 }).turn({ ...queue, process: async () => 0 });
  expect(await turn).toBe(0);
});

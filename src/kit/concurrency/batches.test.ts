import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { createBatches } from './batches';

interface Held {
  items: number[];
  end: (error?: Error) => void;
}

/** Batches that end when the test says so; each result is ten times its item. */
function heldBatches(most = 100) {
  const running: Held[] = [];
  const batches = createBatches<number, number>({
    most,
    isOfOneItem: (error) => (error as Error).message === 'bad item',
    run: (items) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(items.map((item) => item * 10)));
        running.push({ items, end });
      }),
  });
  const take = async () => {
    await turn();
    const held = running.shift();
    if (!held) throw new Error('nothing runs');
    return held;
  };
  return { ...batches, running, take };
}

it('performs the first item at once, and those that arrive meanwhile together', async () => {
  const { perform, running, take } = heldBatches();
  const results = [1, 2, 3].map((item) => perform('a', item));
  expect(running.map(({ items }) => items)).toEqual([[1]]);
  (await take()).end();
  const next = await take();
  expect(next.items).toEqual([2, 3]);
  next.end();
  expect(await Promise.all(results)).toEqual([10, 20, 30]);
  const later = perform('a', 4);
  (await take()).end();
  expect(await later).toBe(40);
});

it('performs items of one key without waiting for another key', async () => {
  const { perform, running } = heldBatches();
  void perform('a', 1);
  void perform('b', 2);
  await turn();
  expect(running.map(({ items }) => items)).toEqual([[1], [2]]);
});

it('performs no more items together than allowed', async () => {
  const { perform, take } = heldBatches(2);
  for (const item of [1, 2, 3, 4]) void perform('a', item);
  for (const items of [[1], [2, 3], [4]]) {
    const held = await take();
    expect(held.items).toEqual(items);
    held.end();
  }
});

it('performs each item alone when one of them made the batch fail', async () => {
  const { perform, take } = heldBatches();
  const results = Promise.allSettled([1, 2, 3].map((item) => perform('a', item)));
  (await take()).end();
  (await take()).end(new Error('bad item'));
  const alone = await take();
  expect(alone.items).toEqual([2]);
  alone.end(new Error('bad item'));
  (await take()).end();
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('passes a failure of the batch to all its items, and continues with the next batch', async () => {
  const { perform, take } = heldBatches();
  const results = Promise.allSettled([1, 2, 3].map((item) => perform('a', item)));
  (await take()).end();
  (await take()).end(new Error('the database is away'));
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  const next = perform('a', 4);
  (await take()).end();
  expect(await next).toBe(40);
});

it('runs each batch in the context of its first item', async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const batches = createBatches<number, number>({
    most: 10,
    isOfOneItem: () => false,
    run: async (items) => {
      seen.push([storage.getStore(), items]);
      await turn();
      return items;
    },
  });
  await Promise.all(['x', 'y', 'z'].map((name, item) => storage.run(name, () => batches.perform('a', item))));
  expect(seen).toEqual([
    ['x', [0]],
    ['y', [1, 2]],
  ]);
});

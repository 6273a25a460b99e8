import { createSharedReads } from './shared-reads';

it('reads once now and once afterwards for any number of concurrent callers', async () => {
  const reads = createSharedReads<number>();
  let value = 0;
  const finish: (() => void)[] = [];
  let asked = 0;
  const read = () => {
    asked += 1;
    const seen = value;
    return new Promise<number>((resolve) => finish.push(() => resolve(seen)));
  };
  const first = reads.read('a', read);
  value = 1;
  const others = Array.from({ length: 50 }, () => reads.read('a', read));
  const other = reads.read('b', read);
  expect(asked).toBe(2);
  finish.splice(0).forEach((end) => end());
  expect(await first).toBe(0);
  await other;
  await new Promise(setImmediate);
  finish.splice(0).forEach((end) => end());
  expect(new Set(await Promise.all(others))).toEqual(new Set([1]));
  expect(asked).toBe(3);
});

it('passes a failure to its callers, and reads again for the next one', async () => {
  const reads = createSharedReads<number>();
  await expect(reads.read('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await expect(reads.read('a', () => Promise.resolve(1))).resolves.toBe(1);
});

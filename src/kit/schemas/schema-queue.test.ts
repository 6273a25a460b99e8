import { createFairQueue } from './schema-queue';

function queueAt(time = { now: 0 }) {
  const queue = createFairQueue<{ key: string; heavy: boolean; n: number }>(() => time.now);
  const push = (key: string, n: number, heavy = false) => queue.push({ key, n, heavy });
  const next = (slowLaneBusy = false) => {
    const work = queue.shift(slowLaneBusy);
    return work && `${work.key}${work.n}`;
  };
  return { queue, time, push, next };
}

it('lets keys take turns, so that a flood for one does not delay another', () => {
  const { push, next } = queueAt();
  for (let n = 0; n < 100; n += 1) push('flood', n);
  push('small', 0);
  expect([next(), next(), next()]).toEqual(['flood0', 'small0', 'flood1']);
});

it('prefers heavy work of keys that used little time lately, and forgets the time', () => {
  const { queue, time, push, next } = queueAt();
  for (const key of ['dear', 'dearer']) queue.charge(key, key.length * 100);
  for (const key of ['dearer', 'dear', 'new']) push(key, 0, true);
  push('dear', 1, true);
  expect([next(), next(), next(), next()]).toEqual(['new0', 'dear0', 'dear1', 'dearer0']);
  time.now = 3_600_000;
  queue.charge('new', 1);
  for (const key of ['new', 'dearer']) push(key, 0, true);
  expect([next(), next()]).toEqual(['dearer0', 'new0']);
});

it('keeps the order within a key, also for work that comes back', () => {
  const { queue, push, next } = queueAt();
  push('a', 2);
  queue.unshift({ key: 'a', heavy: false, n: 1 });
  expect([next(), next(), next()]).toEqual(['a1', 'a2', undefined]);
});

it('leaves slow keys waiting while other slow work runs, for a minute', () => {
  const { queue, time, push, next } = queueAt();
  queue.markSlow('slow');
  push('slow', 0);
  push('quick', 0);
  expect([next(true), next(true), next(false)]).toEqual(['quick0', undefined, 'slow0']);
  push('slow', 1);
  time.now = 60_001;
  expect(next(true)).toBe('slow1');
});

it('lets light work pass heavy work of the same key', () => {
  const { push, next } = queueAt();
  push('a', 0, true);
  push('a', 1);
  expect([next(true), next(true), next(false)]).toEqual(['a1', undefined, 'a0']);
});

it('gives back everything that waits', () => {
  const { queue, push, next } = queueAt();
  for (const key of ['a', 'b', 'a']) push(key, 0);
  expect(queue.drain()).toHaveLength(3);
  expect(next()).toBeUndefined();
});

import { BoundedMap } from './bounded-map';

it('drops the entry that was set longest ago', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});

it('keeps entries that are used', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1).set('b', 2);
  expect([map.use('a'), map.use('z')]).toEqual([1, undefined]);
  map.set('c', 3);
  expect([...map.keys()]).toEqual(['a', 'c']);
});

it('stays within its bound after deletions and clearing, in any order', () => {
  const map = new BoundedMap<number, number>(100);
  const model: number[] = [];
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let step = 0; step < 20_000; step += 1) {
    const key = random(300);
    const isThere = model.indexOf(key);
    if (isThere >= 0) model.splice(isThere, 1);
    const action = random(1_000);
    if (action === 0) {
      map.clear();
      model.length = 0;
    } else if (action < 200) map.delete(key);
    else {
      if (model.length >= 100) model.shift();
      model.push(key);
      map.set(key, step);
    }
  }
  expect([...map.keys()]).toEqual(model);
});

it('sets keys in constant time when it is full', () => {
  const map = new BoundedMap<number, number>(200_000);
  for (let key = 0; key < 200_000; key += 1) map.set(key, key);
  const before = process.cpuUsage();
  for (let key = 200_000; key < 500_000; key += 1) map.set(key, key);
  // An iterator from the start for each eviction takes some 30 s.
  expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
  expect([map.size, map.has(299_999), map.has(300_000)]).toEqual([200_000, false, true]);
}, 60_000);

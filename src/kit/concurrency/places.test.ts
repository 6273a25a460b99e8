import { createPlaces, type Places } from './places';

const fill = (places: Places, name: string, factor: number) => {
  const leaves = [];
  for (let leave = places.enter([{ name, factor }]); leave; leave = places.enter([{ name, factor }]))
    leaves.push(leave);
  return leaves;
};

it('leaves a part of the places to others, and a share to each of them', () => {
  const places = createPlaces(1_000);
  expect(fill(places, 'a', 4).length).toBe(610);
  const [second, third] = [fill(places, 'b', 4).length, fill(places, 'c', 4).length];
  expect([second > 150, third < second, third > 50, places.size < 1_000]).toEqual([true, true, true, true]);
});

it('gives a newcomer a place while thirty others take what they can, one after the other', () => {
  const places = createPlaces(1_000);
  for (let n = 0; n < 30; n += 1) fill(places, `busy ${n}`, 1);
  expect(1_000 - places.size).toBeGreaterThanOrEqual(30);
  expect(fill(places, 'new', 1)).toHaveLength(1);
});

it('counts a place for each of its tenants, and takes it back once', () => {
  const places = createPlaces(8);
  const both = [
    { name: 'buyer', factor: 1 },
    { name: 'developer', factor: 3 },
  ];
  const leaves = [1, 2, 3, 4].map(() => places.enter(both));
  expect(places.isPast(both)).toBe(true);
  expect(places.enter([{ name: 'developer', factor: 1 }])).toBeUndefined();
  expect(places.enter([{ name: 'developer', factor: 3 }])).toBeDefined();
  leaves[0]?.();
  leaves[0]?.();
  expect(places.size).toBe(4);
});

import { createPlaces, createShares, type Places } from './shares';

const fill = (shares: ReturnType<typeof createShares>, tenant: string) => {
  const leaves = [];
  for (let leave = shares.enter(tenant); leave; leave = shares.enter(tenant)) leaves.push(leave);
  return leaves;
};

it('leaves half of the places to others, and a share to each of them', () => {
  const shares = createShares(12);
  expect(fill(shares, 'a')).toHaveLength(6);
  expect(fill(shares, 'b')).toHaveLength(4);
  expect(fill(shares, 'c')).toHaveLength(3);
});

it('gives every tenant one place, and takes places back', () => {
  const shares = createShares(2);
  expect(fill(shares, 'a')).toHaveLength(1);
  const [leave] = fill(shares, 'b');
  expect(fill(shares, 'c')).toHaveLength(1);
  expect(shares.enter('b')).toBeUndefined();
  leave?.();
  expect(shares.enter('b')).toBeDefined();
});

const fillPlaces = (places: Places, name: string, factor: number) => {
  const leaves = [];
  for (let leave = places.enter([{ name, factor }]); leave; leave = places.enter([{ name, factor }]))
    leaves.push(leave);
  return leaves;
};

it('leaves a part of the places to others, and a share to each of them', () => {
  const places = createPlaces(1_000);
  expect(fillPlaces(places, 'a', 4).length).toBe(610);
  const [second, third] = [fillPlaces(places, 'b', 4).length, fillPlaces(places, 'c', 4).length];
  expect([second > 150, third < second, third > 50, places.size < 1_000]).toEqual([true, true, true, true]);
});

it('gives a newcomer a place while thirty others take what they can, one after the other', () => {
  const places = createPlaces(1_000);
  for (let n = 0; n < 30; n += 1) fillPlaces(places, `busy ${n}`, 1);
  expect(1_000 - places.size).toBeGreaterThanOrEqual(30);
  expect(fillPlaces(places, 'new', 1)).toHaveLength(1);
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

import { createShares } from './shares';

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

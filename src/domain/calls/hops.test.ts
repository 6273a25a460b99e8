import { MAX_HOPS, nextHops, readHops } from './hops';

it('counts the calls that led to a request', () => {
  expect(readHops(undefined)).toBe(0);
  expect(readHops('0')).toBe(0);
  expect(readHops(nextHops(0))).toBe(1);
  expect(readHops(nextHops(MAX_HOPS - 1))).toBe(MAX_HOPS);
});

it.each(['', '-1', '+1', '1.0', '1e0', ' 1', '1, 2', '0x1', '٣', '1'.repeat(10)])(
  'refuses the count %j',
  (value) => expect(readHops(value)).toBeUndefined(),
);

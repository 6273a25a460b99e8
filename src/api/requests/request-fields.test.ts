import type { Request } from 'express';
import { idempotencyKeyOf } from './request-fields';

const keyOf = (header: string | undefined, body?: string) =>
  idempotencyKeyOf({ get: () => header } as unknown as Request, body);

it.each([
  ['k', 'k'],
  ['"k"', 'k'],
  ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ['"a \\"b\\" \\\\"', 'a "b" \\'],
  ['"k";created=1;x="y"', 'k'],
  [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ['a"b', 'a"b'],
])('reads %j as %j, and as the same key as the body has', (header, key) => {
  expect(keyOf(header)).toBe(key);
  expect(keyOf(header, key)).toBe(key);
  expect(() => keyOf(header, `${key}x`)).toThrow('differ');
});

it.each([
  '',
  '"',
  '""',
  '"k',
  '"k"x',
  '"k" "l"',
  '"\\k"',
  'k k',
  'k, k',
  '"k", "k"',
  'ä',
  `"${'x'.repeat(256)}"`,
])('refuses %j', (header) => {
  expect(() => keyOf(header)).toThrow(expect.objectContaining({ code: 'invalid_header' }) as Error);
});

it('takes the key of the body where there is no header', () => {
  expect([keyOf(undefined, 'a b'), keyOf(undefined)]).toEqual(['a b', undefined]);
});

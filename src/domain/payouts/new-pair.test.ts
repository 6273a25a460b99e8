import { NEW_BUYER_DAYS, newPairMs } from './new-pair';

const DAY_MS = 86_400_000;
const terms = { reserveMs: 14 * DAY_MS, disputeWindowMs: 3 * DAY_MS };

it.each([
  ['made at this moment', 0, 14 * DAY_MS],
  ['almost old', NEW_BUYER_DAYS * DAY_MS - 1, 14 * DAY_MS],
  ['old', NEW_BUYER_DAYS * DAY_MS, undefined],
])('earnings from a buyer whose account is %s', (_what, age, expected) => {
  expect(newPairMs({ since: 1_000, now: 1_000 + age }, terms)).toBe(expected);
});

it('never shortens the dispute window, and can be off', () => {
  const fresh = { since: 0, now: 0 };
  expect(newPairMs(fresh, { ...terms, reserveMs: 2 * DAY_MS })).toBeUndefined();
  expect(newPairMs(fresh, { ...terms, reserveMs: 0 })).toBeUndefined();
});

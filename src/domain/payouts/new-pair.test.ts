import { NEW_BUYER_DAYS, newPairTerms } from './new-pair';

const DAY_MS = 86_400_000;
const OLD_MS = NEW_BUYER_DAYS * DAY_MS;
const terms = { reserveMs: 14 * DAY_MS, disputeWindowMs: 3 * DAY_MS };

it.each([
  ['made at this moment', 0, { new_pair_ms: 14 * DAY_MS }],
  ['almost old', OLD_MS - 1, { new_pair_ms: 14 * DAY_MS }],
  ['old, so that its first top-up decides', OLD_MS, { new_pair_ms: 14 * DAY_MS, new_topup_ms: OLD_MS }],
])('earnings from a buyer whose account is %s', (_what, age, expected) => {
  expect(newPairTerms({ since: 1_000, now: 1_000 + age }, terms)).toEqual(expected);
});

it('never shortens the dispute window, and can be off', () => {
  const fresh = { since: 0, now: 0 };
  expect(newPairTerms(fresh, { ...terms, reserveMs: 2 * DAY_MS })).toEqual({});
  expect(newPairTerms(fresh, { ...terms, reserveMs: 0 })).toEqual({});
});

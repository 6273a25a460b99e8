import fc from 'fast-check';
import type { Pricing } from '../catalogue/manifest';
import { costOf, priceTerms } from '../catalogue/pricing';
import { costsMore, isSamePrice } from './price-rise';

const perCall = (credits: number, free = 0): Pricing => ({
  model: 'per_call',
  credits_per_call: credits,
  free_tier_calls: free,
});
const perToken = (rate: string, most: number, free = 0): Pricing => ({
  model: 'per_token',
  credits_per_1k_tokens: rate,
  max_credits_per_call: most,
  free_tier_calls: free,
});
const perSecond = (rate: string, most: number): Pricing => ({
  model: 'per_second',
  credits_per_second: rate,
  max_credits_per_call: most,
  free_tier_calls: 0,
});

it.each([
  ['a higher price per call', perCall(3), perCall(4), true],
  ['a lower price per call', perCall(4), perCall(3), false],
  ['the same price', perToken('1.5', 40), perToken('1.50', 40), false],
  ['a higher rate under a lower maximum', perToken('1', 40), perToken('1.001', 10), true],
  ['a higher maximum of a lower rate', perSecond('1', 40), perSecond('0.5', 41), true],
  ['fewer free calls of a lower price', perCall(4, 10), perCall(3, 9), true],
  ['more free calls', perToken('1', 40, 1), perToken('1', 40, 2), false],
  ['a metered price that may cost more than the price per call', perCall(5), perToken('0.001', 6), true],
  ['a metered price that costs at most the price per call', perCall(5), perToken('100', 5), false],
  ['a price per call after a metered one, which may cost less', perToken('1', 40), perCall(1), true],
  ['another unit', perToken('1', 40), perSecond('0.001', 1), true],
])('%s: %#', (_what, before, after, rises) => {
  expect(costsMore(before, after)).toBe(rises);
});

const rate = fc.integer({ min: 1, max: 5_000 }).map((milli) => (milli / 1_000).toFixed(3));
const most = fc.integer({ min: 1, max: 20 });
const pricing = fc.oneof(
  most.map((credits) => perCall(credits)),
  fc.tuple(rate, most).map(([r, m]) => perToken(r, m)),
  fc.tuple(rate, most).map(([r, m]) => perSecond(r, m)),
);

it('finds every price by which some call costs more', () => {
  const metered = fc.record({
    tokensIn: fc.nat(20_000),
    tokensOut: fc.nat(20_000),
    durationMs: fc.nat(60_000),
  });
  fc.assert(
    fc.property(pricing, pricing, metered, (before, after, size) => {
      if (costsMore(before, after)) return;
      expect(costOf(priceTerms(after), size)).toBeLessThanOrEqual(costOf(priceTerms(before), size));
    }),
    { numRuns: 2_000 },
  );
});

it('knows the same price however its rate is written', () => {
  expect(isSamePrice(perToken('1.5', 40), perToken('1.500', 40))).toBe(true);
  expect(isSamePrice(perToken('1.5', 40), perToken('1.5', 40, 1))).toBe(false);
  expect(isSamePrice(perToken('1.5', 40), perSecond('1.5', 40))).toBe(false);
});

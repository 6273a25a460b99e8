import fc from 'fast-check';
import { costOf, isAboveCeiling, leastCostOf, priceExamples, priceTerms, timeBudgetMs } from './pricing';

const nothing = { tokensIn: 0, tokensOut: 0, durationMs: 0 };
const perToken = (rate: string, max = 100_000) =>
  priceTerms({
    model: 'per_token',
    credits_per_1k_tokens: rate,
    max_credits_per_call: max,
    free_tier_calls: 0,
  });
const perSecond = (rate: string, max = 100_000) =>
  priceTerms({
    model: 'per_second',
    credits_per_second: rate,
    max_credits_per_call: max,
    free_tier_calls: 0,
  });

describe('what a call costs', () => {
  it('is the price per call, whatever was measured', () => {
    const terms = priceTerms({ model: 'per_call', credits_per_call: 7, free_tier_calls: 0 });
    expect(costOf(terms, { tokensIn: 9_999, tokensOut: 1, durationMs: 60_000 })).toBe(7);
  });

  it.each([
    ['0.125', 8_000, 1],
    ['0.125', 8_001, 2],
    ['0.001', 1, 1],
    ['2', 500, 1],
    ['2', 501, 2],
    ['1.5', 0, 0],
  ])('at %s credits per 1,000 tokens, %i tokens cost %i', (rate, tokens, credits) => {
    expect(costOf(perToken(rate), { ...nothing, tokensIn: tokens })).toBe(credits);
  });

  it.each([
    ['0.5', 2_000, 1],
    ['0.5', 2_001, 2],
    ['10', 1, 1],
    ['10', 300_000, 3_000],
  ])('at %s credits a second, %i ms cost %i', (rate, durationMs, credits) => {
    expect(costOf(perSecond(rate), { ...nothing, durationMs })).toBe(credits);
  });

  it('is at most max_credits_per_call, and never less than the exact amount below that', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 999_999_999 }),
        fc.nat(2_000_000),
        fc.integer({ min: 1, max: 100_000 }),
        (milli, tokens, max) => {
          const cost = costOf(
            { model: 'per_token', rateMilli: milli, maxCredits: max },
            { ...nothing, tokensOut: tokens },
          );
          const exact = (BigInt(tokens) * BigInt(milli) + 999_999n) / 1_000_000n;
          expect(BigInt(cost)).toBe(exact < BigInt(max) ? exact : BigInt(max));
        },
      ),
    );
  });
});

describe('the ceiling', () => {
  it('aborts a per_second call exactly when its cost is certain to be above', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.nat(1_000),
        fc.integer({ min: 1, max: 100_000 }),
        (milli, ceiling, max) => {
          const terms = { model: 'per_second' as const, rateMilli: milli, maxCredits: max };
          const budget = timeBudgetMs(terms, ceiling);
          if (budget === null) {
            expect(isAboveCeiling(costOf(terms, { ...nothing, durationMs: 300_000_000 }), ceiling)).toBe(
              false,
            );
          } else {
            expect(isAboveCeiling(costOf(terms, { ...nothing, durationMs: budget }), ceiling)).toBe(false);
            expect(isAboveCeiling(costOf(terms, { ...nothing, durationMs: budget + 1 }), ceiling)).toBe(true);
          }
        },
      ),
    );
  });

  it('of 0 permits no paid call', () => {
    expect(leastCostOf(perSecond('0.001'), 0)).toBe(1);
    expect(leastCostOf(perToken('0.001'), 1)).toBe(1);
  });

  it('is null if the buyer set none', () => {
    expect(timeBudgetMs(perSecond('10'), null)).toBeNull();
    expect(isAboveCeiling(1_000_000, null)).toBe(false);
  });
});

describe('worked examples', () => {
  it('are numbers of calls for a price per call', () => {
    const terms = priceTerms({ model: 'per_call', credits_per_call: 7, free_tier_calls: 0 });
    expect(priceExamples(terms).map(({ calls, credits }) => [calls, credits])).toEqual([
      [1, 7],
      [100, 700],
      [1_000, 7_000],
    ]);
  });

  it('are calls of several sizes for metered prices, rounded up as calls are', () => {
    expect(priceExamples(perToken('0.125')).map(({ tokens, credits }) => [tokens, credits])).toEqual([
      [1_000, 1],
      [10_000, 2],
      [100_000, 13],
    ]);
    expect(priceExamples(perSecond('0.5')).map(({ seconds, credits }) => [seconds, credits])).toEqual([
      [1, 1],
      [10, 5],
      [60, 30],
    ]);
  });

  it('end with the first size that costs the most', () => {
    expect(priceExamples(perToken('2', 15))).toEqual([
      { calls: 1, tokens: 1_000, credits: 2, isCapped: false },
      { calls: 1, tokens: 10_000, credits: 15, isCapped: true },
    ]);
  });
});

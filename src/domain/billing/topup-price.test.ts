import { amountFor, marketUnits, priceOf } from './topup-price';

const at = (rate: string | undefined, spreadPercent = 2) => ({
  spot: rate === undefined ? undefined : { rate, observedAt: new Date(0) },
  spreadPercent,
  nowMs: 1_000,
});

it.each([
  [10_000, '0.92', 2, 1_065_217],
  [10_000, '1', 0, 1_000_000],
  [1, '0.92', 2, 106],
  [100, '0.333333', 0.5, 29_850],
])('values %d minor units at %s less %d %% at %d units, rounded down', (minor, rate, spread, units) => {
  expect(marketUnits(minor, rate, spread)).toBe(units);
});

it('keeps the fixed prices exact', () => {
  expect(priceOf(12_345, 'USD', at(undefined))).toEqual({ units: 1_234_500, exchange: null });
  expect(priceOf(12_345, 'INR', at('84'))).toEqual({ units: 12_345, exchange: null });
  expect(priceOf(12_345, 'INR', at(undefined))).toEqual({ units: 12_345, exchange: null });
});

it('never credits more than money is worth, less the spread, at any rate', () => {
  for (const rate of ['20', '83.9', '97.999999', '98', '98.000001', '100', '250']) {
    const price = priceOf(10_000, 'INR', at(rate));
    const worth = marketUnits(10_000, rate, 2);
    expect([rate, price]).toEqual([rate, worth < 10_000 ? 'worth_less' : { units: 10_000, exchange: null }]);
  }
});

it('has no price for a currency without a rate of the last seven days', () => {
  const week = 7 * 86_400_000;
  expect(priceOf(100, 'EUR', at(undefined))).toBe('no_rate');
  expect(priceOf(100, 'EUR', { ...at('0.9'), nowMs: week })).toBe('no_rate');
  expect(priceOf(100, 'EUR', { ...at('0.9'), nowMs: week - 1 })).toMatchObject({ units: 10_888 });
});

it('finds the smallest amount that buys so many units', () => {
  for (const currency of ['INR', 'USD', 'EUR', 'GBP'] as const)
    for (const rate of ['0.92', '0.777777', '1.1'])
      for (const units of [100, 101, 100_000, 123_457]) {
        const terms = currency === 'INR' ? at('84') : at(rate);
        const minor = amountFor(units, currency, terms);
        if (typeof minor === 'string') throw new Error(minor);
        const unitsOf = (amount: number) => {
          const price = priceOf(amount, currency, terms);
          return typeof price === 'string' ? 0 : price.units;
        };
        expect(unitsOf(minor)).toBeGreaterThanOrEqual(units);
        if (minor > 1) expect(unitsOf(minor - 1)).toBeLessThan(units);
      }
});

it.each(['0', '-1', '', '1e3', '0.0000001'])('refuses "%s" as a rate', (rate) => {
  expect(() => marketUnits(1, rate, 0)).toThrow(RangeError);
});

import type { FieldProblem } from '../errors';
import { assertUnits, UNITS_PER_CREDIT } from '../ledger/money';

/** The currencies of top-ups. */
export const CURRENCIES = ['INR', 'USD', 'EUR', 'GBP'] as const;
export type Currency = (typeof CURRENCIES)[number];

/**
 * Ledger units that one minor unit buys at a fixed price (contract, "Billing"): 100 paise = 1 credit, 1 cent = 1
 * credit. Both are exact. The other currencies have a rate (`priceOf`).
 */
const UNITS_PER_MINOR = { INR: 1, USD: UNITS_PER_CREDIT } as const;
export type FixedCurrency = keyof typeof UNITS_PER_MINOR;

export function isCurrency(code: string): code is Currency {
  return (CURRENCIES as readonly string[]).includes(code);
}

export function isFixed(currency: Currency): currency is FixedCurrency {
  return Object.hasOwn(UNITS_PER_MINOR, currency);
}

/** The units that a top-up of `amountMinor` paise or cents credits to the wallet. */
export function topupUnits(amountMinor: number, currency: FixedCurrency): number {
  return assertUnits(assertUnits(amountMinor) * UNITS_PER_MINOR[currency]);
}

/**
 * Converts units to US dollars at the fixed value of USD 0.01 per credit (specification, Limits). At most 4
 * decimals.
 */
export function unitsToUsd(units: number): number {
  return assertUnits(units) / (UNITS_PER_CREDIT * 100);
}

/** The problem of a currency that cannot be paid; none for those of `CURRENCIES`. */
export function currencyProblems(currency: string, where: 'body' | 'query' = 'body'): FieldProblem[] {
  if (isCurrency(currency)) return [];
  return [{ loc: [where, 'currency'], msg: `must be one of ${CURRENCIES.join(', ')}`, type: 'enum' }];
}

import type { FieldProblem } from '../errors';
import { assertUnits, UNITS_PER_CREDIT } from '../ledger/money';

/**
 * Supported top-up currencies, with the ledger units that one minor unit buys (contract, "Billing"): 100
 * paise = 1 credit, 1 cent = 1 credit. Both conversions are exact.
 */
const UNITS_PER_MINOR = { INR: 1, USD: UNITS_PER_CREDIT } as const;

export type Currency = keyof typeof UNITS_PER_MINOR;
export const CURRENCIES = Object.keys(UNITS_PER_MINOR) as Currency[];

export function isCurrency(code: string): code is Currency {
  return Object.hasOwn(UNITS_PER_MINOR, code);
}

/** The units that a top-up of `amountMinor` paise or cents credits to the wallet. */
export function topupUnits(amountMinor: number, currency: Currency): number {
  return assertUnits(assertUnits(amountMinor) * UNITS_PER_MINOR[currency]);
}

/**
 * Converts units to US dollars at the fixed value of USD 0.01 per credit (specification, Limits). At most 4
 * decimals.
 */
export function unitsToUsd(units: number): number {
  return assertUnits(units) / (UNITS_PER_CREDIT * 100);
}

/** The problem of a currency that cannot be paid; none for `INR` and `USD`. */
export function currencyProblems(currency: string): FieldProblem[] {
  if (isCurrency(currency)) return [];
  return [{ loc: ['body', 'currency'], msg: `must be one of ${CURRENCIES.join(', ')}`, type: 'enum' }];
}

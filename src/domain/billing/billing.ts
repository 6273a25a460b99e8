import { assertUnits, UNITS_PER_CREDIT } from '../ledger/money';

/**
 * Currencies that a wallet may be topped up in, and what one minor unit buys, in ledger units (contract, "Billing"):
 * 100 paise = 1 credit, 1 cent = 1 credit. Both are exact.
 */
const UNITS_PER_MINOR = { INR: 1, USD: UNITS_PER_CREDIT } as const;

export type Currency = keyof typeof UNITS_PER_MINOR;
export const CURRENCIES = Object.keys(UNITS_PER_MINOR) as Currency[];

export function isCurrency(code: string): code is Currency {
  return Object.hasOwn(UNITS_PER_MINOR, code);
}

/** What a top-up of `amountMinor` paise or cents credits, in units. */
export function topupUnits(amountMinor: number, currency: Currency): number {
  return assertUnits(assertUnits(amountMinor) * UNITS_PER_MINOR[currency]);
}

/** Units → US dollars at the stated value of a credit, USD 0.01 (specification, Limits); at most 4 decimals. */
export function unitsToUsd(units: number): number {
  return assertUnits(units) / (UNITS_PER_CREDIT * 100);
}

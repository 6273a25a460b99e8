/** Amounts of a top-up, from what a person types. */
const MINOR_PER_MAJOR = 100;

/** Paise or cents of a typed amount; 0 for none. */
export const minorOf = (amount: number | string): number => Math.round(Number(amount) * MINOR_PER_MAJOR) || 0;

/** Whether an amount may be paid. */
export const isWithin = (minor: number, limits: { minimum_minor: number; maximum_minor: number }): boolean =>
  minor >= limits.minimum_minor && minor <= limits.maximum_minor;

/** The amount of another currency for the same credits, to its hundredths. The rates are credits for one unit. */
export function amountIn(amount: number | string, rate: number, wanted: number): number | string {
  if (amount === '') return amount;
  return Math.round(((Number(amount) * rate) / wanted) * MINOR_PER_MAJOR) / MINOR_PER_MAJOR;
}

/**
 * Money inside the service is integer units: 1 credit = 100 units. Charges are whole credits, so a fee of whole
 * percent is never rounded: 3% is exactly 3 units per credit. Credits with up to 2 decimals exist only at the API
 * boundary.
 */
export const UNITS_PER_CREDIT = 100;
/** One-time seller registration fee, in units (specification, Limits). */
export const REGISTRATION_FEE_UNITS = 1000 * UNITS_PER_CREDIT;

/** Returns `units` if it is a safe integer. Throws `RangeError` otherwise. */
export function assertUnits(units: number): number {
  if (!Number.isSafeInteger(units)) throw new RangeError(`not an exact amount of units: ${units}`);
  return units;
}

/**
 * Converts a bigint column, which arrives as a string, to a number. Throws `RangeError` when the value is not
 * a safe integer.
 */
export function unitsFromDatabase(value: string | number | bigint): number {
  return assertUnits(Number(value));
}

/** Converts whole credits to units. Throws `RangeError` when the credits are not whole. */
export function creditsToUnits(credits: number): number {
  if (!Number.isSafeInteger(credits)) throw new RangeError(`not whole credits: ${credits}`);
  return assertUnits(credits * UNITS_PER_CREDIT);
}

/** Converts credits of a request to units; undefined for more than 2 decimals, and for amounts that are not exact. */
export function unitsOfCredits(credits: number): number | undefined {
  const units = Math.round(credits * UNITS_PER_CREDIT);
  return Number.isSafeInteger(units) && units / UNITS_PER_CREDIT === credits ? units : undefined;
}

/** Converts units to credits with at most 2 decimals, for API responses. */
export function unitsToCredits(units: number): number {
  return assertUnits(units) / UNITS_PER_CREDIT;
}

/** An amount for a message: `1 credit`, `2.5 credits`. */
export function creditText(units: number): string {
  return creditsText(unitsToCredits(units));
}

/** The same of an amount in credits. */
export function creditsText(credits: number): string {
  return credits === 1 ? '1 credit' : `${credits} credits`;
}

/** Minor units of a currency as a decimal: 123456 → `1234.56`. Not for negative amounts. */
export function minorText(minor: number, digits = 2): string {
  const text = String(minor).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

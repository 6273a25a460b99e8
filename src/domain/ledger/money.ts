/**
 * Money inside the service is integer units, 1 credit = 100 units. Charges are whole credits, so the 3% fee is
 * exactly 3 units per credit and nothing is ever rounded. Credits (at most 2 decimals) exist only at the API edge.
 */
export const UNITS_PER_CREDIT = 100;
export const PLATFORM_FEE_PERCENT = 3;
/** One-time seller registration fee (specification, Limits). */
export const REGISTRATION_FEE_UNITS = 1000 * UNITS_PER_CREDIT;

/** Asserts that a number is an integer amount that JavaScript holds exactly. */
export function assertUnits(units: number): number {
  if (!Number.isSafeInteger(units)) throw new RangeError(`not an exact amount of units: ${units}`);
  return units;
}

/** bigint columns arrive as strings; this is the only border at which they become numbers. */
export function unitsFromDatabase(value: string | number | bigint): number {
  return assertUnits(Number(value));
}

/** Whole credits → units. */
export function creditsToUnits(credits: number): number {
  if (!Number.isSafeInteger(credits)) throw new RangeError(`not whole credits: ${credits}`);
  return assertUnits(credits * UNITS_PER_CREDIT);
}

/** Units → credits with at most 2 decimals, for the wire. */
export function unitsToCredits(units: number): number {
  return assertUnits(units) / UNITS_PER_CREDIT;
}

/** Splits a gross charge of whole credits into the platform fee (3%) and the developer's net (97%). */
export function splitGross(grossUnits: number): { feeUnits: number; netUnits: number } {
  assertUnits(grossUnits);
  const feeUnits = (grossUnits * PLATFORM_FEE_PERCENT) / 100;
  if (!Number.isSafeInteger(feeUnits)) throw new RangeError(`gross is not whole credits: ${grossUnits}`);
  return { feeUnits, netUnits: grossUnits - feeUnits };
}

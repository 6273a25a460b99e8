/** The highest ceiling that a call can set: above every price, and within a Postgres integer. */
export const MAX_COST_CREDITS = 1_000_000_000;

/** Whether a value is the ceiling of a call: a whole number of credits. */
export function isCostCeiling(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COST_CREDITS;
}

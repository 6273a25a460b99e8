import { UNITS_PER_CREDIT } from '../ledger/money';

/** Bonds and their tiers (specification, "Bond tiers"; contract, "Bonds and slashing"). Lowest first. */
export const BOND_TIERS = ['basic', 'standard', 'premium'] as const;
export type BondTier = (typeof BOND_TIERS)[number];

/** Minimum amount of each bond tier, in units. The database enforces the same amounts. */
export const TIER_MINIMUM_UNITS = {
  basic: 500 * UNITS_PER_CREDIT,
  standard: 2_500 * UNITS_PER_CREDIT,
  premium: 10_000 * UNITS_PER_CREDIT,
} as const satisfies Record<BondTier, number>;

/**
 * `noticed`: in the notice period. `waiting`: the notice period is over, but a slash is undecided. `void`:
 * the bond was empty when the withdrawal came due.
 */
export const WITHDRAWAL_STATUSES = ['noticed', 'waiting', 'paid', 'void'] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

/** Input of the workflow `bond-withdrawal/<id>`. */
export interface WithdrawalInput {
  withdrawalId: string;
  /** End of the notice period, in epoch milliseconds; fixed when the notice is given. */
  dueAtMs: number;
  /** The same time in ISO form, for people who read the history. */
  dueAt?: string;
}

/**
 * Converts credits with at most two decimals to units; returns undefined for all other numbers. `19.99 * 100`
 * is not an integer in binary floating point, so the product is rounded and accepted only if dividing it
 * gives the same number.
 */
export function exactUnits(credits: number): number | undefined {
  const units = Math.round(credits * UNITS_PER_CREDIT);
  return Number.isSafeInteger(units) && units / UNITS_PER_CREDIT === credits ? units : undefined;
}

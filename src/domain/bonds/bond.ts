import { UNITS_PER_CREDIT } from '../ledger/money';

/** Bonds and their tiers (specification, "Bond tiers"; contract, "Bonds and slashing"). Lowest first. */
export const BOND_TIERS = ['basic', 'standard', 'premium'] as const;
export type BondTier = (typeof BOND_TIERS)[number];

/** What a bond must reach for a tier, in units; the database has the same in migration 0900. */
export const TIER_MINIMUM_UNITS = {
  basic: 500 * UNITS_PER_CREDIT,
  standard: 2_500 * UNITS_PER_CREDIT,
  premium: 10_000 * UNITS_PER_CREDIT,
} as const satisfies Record<BondTier, number>;

/**
 * `noticed`: under notice; `waiting`: the notice is over and a slash is not decided; `void`: the bond held nothing any
 * more.
 */
export const WITHDRAWAL_STATUSES = ['noticed', 'waiting', 'paid', 'void'] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

/** What the workflow `bond-withdrawal/<id>` starts with. */
export interface WithdrawalInput {
  withdrawalId: string;
  /** When the notice is over, in milliseconds since the epoch; fixed when it was given. */
  dueAtMs: number;
}

/**
 * Credits of a request, at most two decimals, as units; undefined for other numbers. `19.99 * 100` is no integer in
 * binary, but the integer next to it divides back to the very same number.
 */
export function exactUnits(credits: number): number | undefined {
  const units = Math.round(credits * UNITS_PER_CREDIT);
  return Number.isSafeInteger(units) && units / UNITS_PER_CREDIT === credits ? units : undefined;
}

import type { MandateItem } from '../../stores/mandates/mandates';

/** A verified mandate and proof (`Mandates.admit`): the buyer of the call is the issuer. */
export interface MandateUse {
  /** Whose wallet pays. */
  issuerUserId: string;
  /** Who presented it. */
  callerUserId: string;
  /** The mandate that is used, by its key in the issuer's list. */
  mandateId: string;
  /** What this call may cost at most under the proof and the limits of one call; null: only the budgets decide. */
  ceilingCredits: number | null;
  item: MandateItem;
}

interface Ceilings {
  maxCostCredits: number | null;
  mandate?: MandateUse | undefined;
}

/** What a call may cost at most: the caller's own ceiling, or what its mandate allows when that is less. */
export function ceilingOf({ maxCostCredits, mandate }: Ceilings): number | null {
  const allowed = mandate?.ceilingCredits ?? null;
  if (maxCostCredits === null || allowed === null) return maxCostCredits ?? allowed;
  return Math.min(maxCostCredits, allowed);
}

/** Under a mandate, an answer is for whoever made the call under it, not for every holder of one of its issuer. */
export function mayJoin(
  mandate: MandateUse | undefined,
  earlier: { mandateId: string | null; callerUserId: string | null },
): boolean {
  if (!mandate) return true;
  return earlier.mandateId === mandate.mandateId && earlier.callerUserId === mandate.callerUserId;
}

/** Whose wallet and whose key a call spends: the issuer's of its mandate, else the caller's own. */
export function payerOf(
  caller: { userId: string; key: { keyId: string } | null },
  mandate: MandateUse | undefined,
): { buyerUserId: string; keyId: string | null; mandate: MandateUse | undefined } {
  const buyerUserId = mandate?.issuerUserId ?? caller.userId;
  // A key's cap bounds what is spent of its own account.
  const keyId = buyerUserId === caller.userId ? (caller.key?.keyId ?? null) : null;
  return { buyerUserId, keyId, mandate };
}

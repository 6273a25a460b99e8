import type { MandateItem } from '../../stores/mandates/mandates';

/** A verified mandate with its proof (`Mandates.vet`). The issuer is the buyer of the call. */
export interface MandateUse {
  /** The account whose wallet pays. */
  issuerUserId: string;
  /** Cost ceiling of this call from the proof and the per-call limits; null if only the budgets limit it. */
  ceilingCredits: number | null;
  /** The mandate and its caller, as the database takes them. */
  item: MandateItem;
}

/** The cost ceiling of a call: the lower one of the caller's ceiling and that of the mandate. */
export function ceilingOf(maxCostCredits: number | null, mandate: MandateUse | undefined): number | null {
  const allowed = mandate?.ceilingCredits ?? null;
  if (maxCostCredits === null || allowed === null) return maxCostCredits ?? allowed;
  return Math.min(maxCostCredits, allowed);
}

/** The payer of a call and the API key to charge: the issuer of its mandate, else the caller. */
export function payerOf(
  caller: { userId: string; key: { keyId: string } | null },
  mandate: MandateUse | undefined,
): { buyerUserId: string; keyId: string | null; mandate: MandateUse | undefined } {
  const buyerUserId = mandate?.issuerUserId ?? caller.userId;
  // The credit cap of a key limits spending from its own account only.
  const keyId = buyerUserId === caller.userId ? (caller.key?.keyId ?? null) : null;
  return { buyerUserId, keyId, mandate };
}

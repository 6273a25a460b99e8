import type { MandateItem } from '../../stores/mandates/mandates';

/** A verified mandate with its proof (`Mandates.vet`). The issuer is the buyer of the call. */
export interface MandateUse {
  /** The account whose wallet pays. */
  issuerUserId: string;
  /** True if that account keeps inputs and outputs of its calls. */
  keepsBodies: boolean;
  /** Cost ceiling of this call from the proof and the per-call limits; null if only the budgets limit it. */
  ceilingCredits: number | null;
  /** The mandate and its caller, as the database takes them. */
  item: MandateItem;
}

/** The account of a caller, and the API key that authenticated it. */
export interface Caller {
  userId: string;
  /** The member who acts for an organisation; the account itself, or none, for others. */
  person?: string | null;
  /** True if the account keeps inputs and outputs of its calls. */
  keepsBodies: boolean;
  key: { keyId: string } | null;
}

/** Who pays for a call, and by whose limits. */
export interface CallPayer {
  buyerUserId: string;
  /** True if that account keeps inputs and outputs of its calls. */
  keepsBodies: boolean;
  /** The buyer's API key that authenticated the call; null for a session, and under a mandate of another account. */
  keyId: string | null;
  /** The member who makes the call for the buyer, if that is an organisation. */
  memberId?: string | undefined;
  /** The result of `Mandates.vet`. Its issuer is the buyer. */
  mandate?: MandateUse | undefined;
}

/** The payer of a call: the issuer of its mandate, else the caller. */
export function payerOf(caller: Caller, mandate: MandateUse | undefined): CallPayer {
  const buyerUserId = mandate?.issuerUserId ?? caller.userId;
  const { keepsBodies } = mandate ?? caller;
  // The cap of a key, and the budget of a member, limit spending from their own account only.
  const isOwn = buyerUserId === caller.userId;
  const keyId = isOwn ? (caller.key?.keyId ?? null) : null;
  const isMember = isOwn && caller.person !== caller.userId;
  const memberId = isMember ? (caller.person ?? undefined) : undefined;
  return { buyerUserId, keepsBodies, keyId, memberId, mandate };
}

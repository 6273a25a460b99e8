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

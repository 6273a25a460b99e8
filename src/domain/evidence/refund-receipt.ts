/**
 * The receipt of what a dispute returned (contract, "Evidence"). The receipt of the call stays as it is: this one
 * stands beside it, and is fixed when the dispute is decided.
 */
export interface RefundTerms {
  dispute_id: string;
  /** How the dispute was decided. */
  resolution: string;
  /** What the call cost when it ended, in credits. */
  credits_charged: number;
  /** What the dispute returned of it: all that was left, or a part. */
  credits_refunded: number;
  refunded_at: string;
  /** The ledger transaction that returned it. */
  ledger: string[];
}

/** The terms, and a compact JWS whose payload is their canonical JSON. */
export interface RefundReceipt extends RefundTerms {
  signature: string;
}

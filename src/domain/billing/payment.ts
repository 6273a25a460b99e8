/** What became of money that a payment provider told of (migration 0941). */
export const PAYMENT_STATES = ['credited', 'quarantined', 'resolved_credited', 'resolved_returned'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/** Why a payment credited nothing by itself. */
export const QUARANTINE_REASONS = [
  'amount_mismatch',
  'currency_mismatch',
  'unknown_topup',
  'topup_closed',
  'paid_twice',
] as const;
export type QuarantineReason = (typeof QUARANTINE_REASONS)[number];

/** An operator's: the money becomes credits of somebody, or was given back at the provider. */
export const PAYMENT_DECISIONS = ['credit', 'return'] as const;
export type PaymentDecision = (typeof PAYMENT_DECISIONS)[number];

/**
 * States of a payment that a payment provider reported. `quarantined` payments wait for an operator's
 * decision.
 */
export const PAYMENT_STATES = ['credited', 'quarantined', 'resolved_credited', 'resolved_returned'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/** Why a payment was quarantined instead of credited. */
export const QUARANTINE_REASONS = [
  'amount_mismatch',
  'currency_mismatch',
  'unknown_topup',
  'topup_closed',
  'paid_twice',
] as const;
export type QuarantineReason = (typeof QUARANTINE_REASONS)[number];

/**
 * An operator's decision on a quarantined payment: credit it to an account, or record that it was refunded at
 * the provider.
 */
export const PAYMENT_DECISIONS = ['credit', 'return'] as const;
export type PaymentDecision = (typeof PAYMENT_DECISIONS)[number];

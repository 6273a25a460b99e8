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

/** A refund, or a chargeback that a bank has raised, of a payment. */
export const REVERSAL_KINDS = ['refund', 'dispute'] as const;
export type ReversalKind = (typeof REVERSAL_KINDS)[number];

/**
 * States of a reversal. `open`: a dispute that is not decided. `waiting`: its payment has not been credited yet.
 * `taken`: the credits were taken back. `closed`: the dispute ended and cost nothing. `returned`: the dispute was won,
 * and what it had taken was given back.
 */
export const REVERSAL_STATES = ['open', 'waiting', 'taken', 'closed', 'returned'] as const;
export type ReversalState = (typeof REVERSAL_STATES)[number];

/** What an event does to a reversal. */
export type ReversalStep = 'open' | 'take' | 'close' | 'return';

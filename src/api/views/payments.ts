import { unitsToCredits } from '../../domain/ledger/money';
import type { Payment, Reversal } from '../../services/billing/payments';

export function paymentView(payment: Payment) {
  return {
    payment_id: payment.paymentId,
    provider: payment.provider,
    state: payment.state,
    quarantine_reason: payment.quarantineReason,
    amount_minor: payment.amountMinor,
    currency: payment.currency,
    expected_minor: payment.expectedMinor,
    reference: payment.reference,
    topup_id: payment.topupId,
    user_id: payment.userId,
    credited_topup_id: payment.creditedTopupId,
    received_at: payment.receivedAt.toISOString(),
    resolved_at: payment.resolvedAt?.toISOString() ?? null,
  };
}

export function reversalView(reversal: Reversal) {
  return {
    reversal_id: reversal.reversalId,
    provider: reversal.provider,
    kind: reversal.kind,
    state: reversal.state,
    payment_id: reversal.paymentId,
    amount_minor: reversal.amountMinor,
    currency: reversal.currency,
    user_id: reversal.userId,
    reversed_credits: unitsToCredits(reversal.reversedUnits),
    owed_credits: unitsToCredits(reversal.owedUnits),
    received_at: reversal.receivedAt.toISOString(),
    taken_at: reversal.takenAt?.toISOString() ?? null,
  };
}

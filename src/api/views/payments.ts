import type { Payment } from '../../services/billing/payments';

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

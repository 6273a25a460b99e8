import { unitsToCredits } from '../../domain/ledger/money';
import type { AutoTopup } from '../../services/billing/auto-topups';
import type { Payment, Reversal } from '../../services/billing/payments';
import type { SavedMethod } from '../../services/billing/saved-methods';

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

export function paymentMethodView({ methodId, provider, label, currency, createdAt }: SavedMethod) {
  return { method_id: methodId, provider, label, currency, created_at: createdAt.toISOString() };
}

/** The automatic top-ups of an account; undefined when they are off. */
export function autoTopupView(found: AutoTopup | undefined) {
  const credits = (units: number | undefined) => (units === undefined ? null : unitsToCredits(units));
  const status: 'off' | 'on' | 'stopped' =
    found === undefined ? 'off' : found.stoppedFor === null ? 'on' : 'stopped';
  return {
    status,
    stopped_for: found?.stoppedFor ?? null,
    below_credits: credits(found?.belowUnits),
    buy_credits: credits(found?.buyUnits),
    max_per_day: found?.maxPerDay ?? null,
    max_per_month: credits(found?.maxMonthUnits),
    method: found?.method ? paymentMethodView(found.method) : null,
    failed_in_a_row: found?.failed ?? 0,
    topups_today: found?.today ?? 0,
    credits_this_month: unitsToCredits(found?.monthUnits ?? 0),
    time_zone: found?.timeZone ?? null,
  };
}

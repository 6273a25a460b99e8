import {
  getOperatorPayment,
  listOperatorPayments,
  razorpayWebhook,
  resolveOperatorPayment,
} from '../../contract/payments';
import type { Payment, Payments } from '../../services/billing/payments';
import { listPage } from '../requests/list-page';
import type { RouteBinder } from '../binding/route';

export interface PaymentRouteDeps {
  payments: Payments;
}

const PAYMENT_ID = /^[\x21-\x7e]{1,100}$/;

/** The provider's callback, and what operators see and decide of payments (contract, "Billing"). */
export function paymentRoutes(binder: RouteBinder, { payments }: PaymentRouteDeps): void {
  binder.bind(razorpayWebhook, async ({ readBytes, req }) => {
    await payments.receive({
      body: await readBytes(),
      signature: req.get('x-razorpay-signature'),
      eventId: req.get('x-razorpay-event-id'),
    });
    return { received: true as const };
  });

  binder.bind(listOperatorPayments, ({ query }) => {
    const state = query.state ?? 'quarantined';
    return listPage(`operator-payments/${state}`, query, PAYMENT_ID, async (beforeId, limit) => {
      const { rows, total } = await payments.list({ state, beforeId, limit });
      return { rows, total, idOf: (payment: Payment) => payment.paymentId, view: toPayment };
    });
  });

  binder.bind(getOperatorPayment, async ({ params }) => toPayment(await payments.get(params.payment_id)));

  binder.bind(resolveOperatorPayment, async ({ params, body, principal, traceId }) => {
    const payment = await payments.resolve({
      operatorUserId: principal.userId,
      paymentId: params.payment_id,
      decision: body.decision,
      userId: body.user_id,
      reason: body.reason,
      traceId,
    });
    return toPayment(payment);
  });
}

function toPayment(payment: Payment) {
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

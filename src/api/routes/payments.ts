import {
  getOperatorPayment,
  listOperatorPayments,
  listOperatorReversals,
  razorpayWebhook,
  resolveOperatorPayment,
} from '../../contract/payments';
import type { Payments } from '../../services/billing/payments';
import { listPage } from '../requests/list-page';
import { paymentView, reversalView } from '../views/payments';
import type { RouteBinder } from '../binding/route';

export interface PaymentRouteDeps {
  payments: Payments;
}

const PAYMENT_POSITION = [/^[\x21-\x7e]{1,100}$/];

/** The payment provider's callback, and the payments that operators review (contract, "Billing"). */
export function paymentRoutes(binder: RouteBinder, { payments }: PaymentRouteDeps): void {
  binder.bind(razorpayWebhook, async ({ readBytes, req }) => {
    const signature = req.get('x-razorpay-signature');
    const eventId = req.get('x-razorpay-event-id');
    await readBytes((body) => payments.receive({ body, signature, eventId }));
    return { received: true as const };
  });

  binder.bind(listOperatorPayments, ({ query }) => {
    const state = query.state ?? 'quarantined';
    return listPage(
      { list: ['operator-payments', state], position: PAYMENT_POSITION, query },
      ([beforeId], limit) => payments.list({ state, beforeId, limit }),
      { position: (payment) => [payment.paymentId], view: paymentView },
    );
  });

  binder.bind(listOperatorReversals, ({ query }) => {
    const owed = query.owed === 'true';
    return listPage(
      { list: ['operator-reversals', query.owed], position: PAYMENT_POSITION, query },
      ([beforeId], limit) => payments.reversals({ owed, beforeId, limit }),
      { position: (reversal) => [reversal.reversalId], view: reversalView },
    );
  });

  binder.bind(getOperatorPayment, async ({ params }) => paymentView(await payments.get(params.payment_id)));

  binder.bind(resolveOperatorPayment, async ({ params, body, principal, traceId }) => {
    const payment = await payments.resolve({
      operatorUserId: principal.userId,
      paymentId: params.payment_id,
      decision: body.decision,
      userId: body.user_id,
      reason: body.reason,
      traceId,
    });
    return paymentView(payment);
  });
}

import { randomUUID } from 'node:crypto';
import {
  getOperatorPayment,
  listOperatorPayments,
  listOperatorReversals,
  razorpayWebhook,
  refundOperatorPayment,
  resolveOperatorPayment,
  stripeWebhook,
} from '../../contract/payments';
import { sha256Hex } from '../../kit/json/canonical-json';
import type { Payments } from '../../services/billing/payments';
import { listPage } from '../requests/list-page';
import { idempotencyKeyOf } from '../requests/request-fields';
import { paymentView, reversalView } from '../views/payments';
import type { RouteBinder } from '../binding/route';

export interface PaymentRouteDeps {
  payments: Payments;
}

const PAYMENT_POSITION = [/^[\x21-\x7e]{1,100}$/];

/** The callbacks of payment providers, and the payments that operators review (contract, "Billing"). */
export function paymentRoutes(binder: RouteBinder, { payments }: PaymentRouteDeps): void {
  for (const [operation, provider] of [
    [razorpayWebhook, 'razorpay'],
    [stripeWebhook, 'stripe'],
  ] as const) {
    binder.bind(operation, async ({ readBytes, req }) => {
      await readBytes((body) => payments.receive(provider, { body, header: (name) => req.get(name) }));
      return { received: true as const };
    });
  }

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

  binder.bind(refundOperatorPayment, async ({ params, body, principal, traceId, req }) => {
    const operatorUserId = principal.userId;
    const named = idempotencyKeyOf(req, undefined);
    const payment = await payments.refund({
      operatorUserId,
      paymentId: params.payment_id,
      amountMinor: body.amount_minor,
      reason: body.reason,
      // Of the form that every provider takes.
      key: named === undefined ? randomUUID() : sha256Hex(`${operatorUserId}/${params.payment_id}/${named}`),
      traceId,
    });
    return paymentView(payment);
  });
}

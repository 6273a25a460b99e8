import { unitsToCredits } from '../../domain/ledger/money';
import type { ListedPayment, PaymentDetail } from '../../services/x402/operator-x402';
import type { Refund } from '../../services/x402/refunds';

export function x402RefundView({
  transferId,
  amountUnits,
  payTo,
  network,
  state,
  reason,
  txHash,
  ...times
}: Refund) {
  return {
    refund_id: transferId,
    credits: unitsToCredits(amountUnits),
    pay_to: payTo,
    network,
    status: state,
    reason,
    transaction: txHash,
    created_at: times.createdAt.toISOString(),
    ended_at: times.endedAt?.toISOString() ?? null,
  };
}

export function x402PaymentView(payment: ListedPayment) {
  return {
    payment_id: payment.paymentId,
    state: payment.state,
    reason: payment.reason,
    payer: payment.payer,
    user_id: payment.userId,
    network: payment.network,
    asset: payment.asset,
    pay_to: payment.payTo,
    amount_minor: payment.amountMinor,
    credits: unitsToCredits(payment.amountUnits),
    identifier: payment.identifier,
    agent_id: payment.agentId,
    invocation_id: payment.invocationId,
    transaction: payment.txHash,
    created_at: payment.createdAt.toISOString(),
    sent_at: payment.sentAt?.toISOString() ?? null,
    valid_before: payment.validBefore.toISOString(),
    ended_at: payment.endedAt?.toISOString() ?? null,
  };
}

export function x402PaymentDetailView(payment: PaymentDetail) {
  return {
    ...x402PaymentView(payment),
    call_status: payment.callStatus,
    charged_credits: payment.chargedUnits === null ? null : unitsToCredits(payment.chargedUnits),
    next_look_at: payment.dueAt?.toISOString() ?? null,
    address_credits: unitsToCredits(payment.creditUnits),
    refunds: payment.refunds.map(x402RefundView),
  };
}

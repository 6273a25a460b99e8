import { getPayerAccount, refundPayer } from '../../contract/x402';
import { unitsToCredits } from '../../domain/ledger/money';
import type { Refund, Refunds } from '../../services/x402/refunds';
import { unitsOf } from '../requests/amounts';
import { Answer } from '../answers/answer';
import type { RouteBinder } from '../binding/route';

export interface X402RouteDeps {
  payerRefunds: Refunds;
}

/** GET /v1/x402/account, POST /v1/x402/refunds: for addresses that pay by x402. */
export function x402Routes(binder: RouteBinder, { payerRefunds }: X402RouteDeps): void {
  binder.bind(getPayerAccount, async ({ principal }) => {
    const payer = await payerRefunds.payer(principal.userId);
    const { units, isOpen, refunds } = await payerRefunds.account(payer);
    return {
      user_id: payer.userId,
      address: payer.address,
      credits: unitsToCredits(units),
      payment_open: isOpen,
      refunds: refunds.map(refundView),
    };
  });

  binder.bind(refundPayer, async ({ body, principal, traceId }) => {
    const units = body.credits === undefined ? undefined : unitsOf({ credits: body.credits });
    const payer = await payerRefunds.payer(principal.userId);
    return new Answer(refundView(await payerRefunds.begin(payer, { units, traceId })), { status: 202 });
  });
}

function refundView({ transferId, amountUnits, payTo, network, state, reason, txHash, ...times }: Refund) {
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

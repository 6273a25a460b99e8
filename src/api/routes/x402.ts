import { getX402Payment, listX402Payments } from '../../contract/operator-x402';
import { getPayerAccount, refundPayer } from '../../contract/x402';
import { unitsToCredits } from '../../domain/ledger/money';
import type { OperatorX402 } from '../../services/x402/operator-x402';
import type { Refunds } from '../../services/x402/refunds';
import { unitsOf } from '../requests/amounts';
import { optionalInstantOf } from '../requests/instant';
import { idPosition, listPage } from '../requests/list-page';
import { Answer } from '../answers/answer';
import { x402PaymentDetailView, x402PaymentView, x402RefundView } from '../x402/views';
import type { RouteBinder } from '../binding/route';

export interface X402RouteDeps {
  payerRefunds: Refunds;
  operatorX402: OperatorX402;
}

/** GET /v1/x402/account, POST /v1/x402/refunds: for addresses that pay by x402; their payments, for operators. */
export function x402Routes(binder: RouteBinder, { payerRefunds, operatorX402 }: X402RouteDeps): void {
  binder.bind(getPayerAccount, async ({ principal }) => {
    const payer = await payerRefunds.payer(principal.userId);
    const { units, isOpen, refunds } = await payerRefunds.account(payer);
    return {
      user_id: payer.userId,
      address: payer.address,
      credits: unitsToCredits(units),
      payment_open: isOpen,
      refunds: refunds.map(x402RefundView),
    };
  });

  binder.bind(refundPayer, async ({ body, principal, traceId }) => {
    const units = body.credits === undefined ? undefined : unitsOf({ credits: body.credits });
    const payer = await payerRefunds.payer(principal.userId);
    return new Answer(x402RefundView(await payerRefunds.begin(payer, { units, traceId })), { status: 202 });
  });

  binder.bind(listX402Payments, ({ query }) => {
    const { state, address } = query;
    const day = optionalInstantOf('day', query.day);
    return listPage(
      { list: ['x402-payments', state, address, query.day], position: idPosition('xpm'), query },
      ([beforeId], limit) => operatorX402.list({ state, address, day, beforeId, limit }),
      { position: ({ paymentId }) => [paymentId], view: x402PaymentView },
    );
  });

  binder.bind(getX402Payment, async ({ params }) =>
    x402PaymentDetailView(await operatorX402.get(params.payment_id)),
  );
}

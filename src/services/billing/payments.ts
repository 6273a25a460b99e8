import { isCurrency, topupUnits } from '../../domain/billing/billing';
import { type FieldProblem, MarketError } from '../../domain/errors';
import type { PaymentDecision, PaymentState } from '../../domain/billing/payment';
import { newId } from '../../kit/ids/ids';
import { isRazorpaySignature, razorpayEventId, readRazorpayEvent } from '../../kit/rails/razorpay-event';
import type { Logger } from '../../logger';
import { type DbPool, withTransaction } from '../../stores/db';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import * as store from '../../stores/billing/payments';
import * as reversals from '../../stores/billing/payment-reversals';
import { findUser } from '../../stores/accounts/users';
import { taxedAmount } from './taxes';

export type Payment = store.PaymentRow;
export type Reversal = reversals.ReversalRow;

export interface PaymentEventRequest {
  body: Buffer;
  /** Value of the header `X-Razorpay-Signature`; `eventId` is that of `X-Razorpay-Event-Id`. */
  signature: string | undefined;
  eventId: string | undefined;
}

export interface PaymentRuling {
  operatorUserId: string;
  paymentId: string;
  decision: PaymentDecision;
  /** User to credit; default: the owner of the top-up that the payment names. */
  userId: string | undefined;
  reason: string;
  traceId: string | null;
}

/**
 * Events of payment providers, and the decisions of operators about payments that match no top-up (contract,
 * "Billing"). Only the signature authenticates an event. Events may arrive repeatedly, concurrently and in any order.
 */
export function createPayments(deps: { pool: DbPool; webhookSecrets: readonly string[]; logger: Logger }) {
  const { pool, webhookSecrets, logger } = deps;

  async function existing(paymentId: string): Promise<Payment> {
    const payment = await store.readPayment(pool, paymentId);
    if (!payment) throw new MarketError('not_found');
    return payment;
  }

  return {
    /**
     * Processes an event; its effects are committed when this returns. Throws `invalid_credentials` for a wrong
     * signature, and 400 or 422 errors for a malformed event.
     */
    async receive({ body, signature, eventId: named }: PaymentEventRequest): Promise<void> {
      if (!isRazorpaySignature(body, signature, webhookSecrets)) {
        throw new MarketError('invalid_credentials', { message: 'The signature does not match the body.' });
      }
      const event = readRazorpayEvent(body);
      const row = { provider: 'razorpay', eventId: razorpayEventId(named, body), type: event.type } as const;
      if (event.kind === 'other') return store.noteEvent(pool, row);
      if (event.kind === 'link_over') return void (await store.closeLink(pool, row, event.reference));
      if (event.kind === 'reversal') return reverse(deps, row, event.reversal);
      const outcome = await store.recordPayment(pool, row, event.payment);
      if (outcome !== 'quarantined') return;
      logger.warn(
        { paymentId: event.payment.id },
        'quarantined a payment that matches no top-up; an operator must decide',
      );
    },

    list: (filter: { state?: PaymentState; beforeId?: string | undefined; limit: number }) =>
      store.listPayments(pool, filter),

    /** Lists refunds and chargebacks, newest first; `owed`: only those with a debt. */
    reversals: (filter: reversals.ReversalFilter) => reversals.listReversals(pool, filter),

    get: existing,

    /**
     * Resolves a quarantined payment once and appends an audit log entry. Throws `not_found`, `invalid_state` if the
     * payment is not quarantined, `validation_failed` if there is no account or no amount to credit.
     */
    async resolve(ruling: PaymentRuling): Promise<Payment> {
      const payment = await existing(ruling.paymentId);
      const credit = ruling.decision === 'credit' ? await creditOf(pool, payment, ruling.userId) : null;
      await withTransaction(pool, async (tx) => {
        const { paymentId, operatorUserId, reason, decision, traceId } = ruling;
        const outcome = await store.resolvePayment(tx, { paymentId, credit, traceId });
        if (outcome === 'no_payment') throw new MarketError('not_found');
        if (outcome === 'not_quarantined') {
          throw new MarketError('invalid_state', { message: 'This payment is not quarantined.' });
        }
        const details = { decision, amount_minor: payment.amountMinor, currency: payment.currency };
        await recordOperatorAction(tx, {
          operatorUserId,
          action: 'payment.resolve',
          subject: paymentId,
          reason,
          details: { ...details, user_id: credit?.userId ?? null },
          traceId,
        });
      });
      return existing(ruling.paymentId);
    },
  };
}

export type Payments = ReturnType<typeof createPayments>;

async function reverse(
  { pool, logger }: { pool: DbPool; logger: Logger },
  row: store.PaymentEventRow,
  reversal: reversals.ReversalReport,
): Promise<void> {
  const outcome = await reversals.recordReversal(pool, row, reversal);
  logger.warn({ ...reversal, outcome }, 'the payment provider reported a refund or a dispute');
}

async function creditOf(pool: DbPool, payment: Payment, named: string | undefined) {
  const userId = named ?? payment.userId;
  const isKnown = userId !== null && (await findUser(pool, userId)) !== undefined;
  const { currency, amountMinor } = payment;
  const isWorth = isCurrency(currency) && amountMinor !== 0;
  if (!isKnown || !isWorth) {
    throw new MarketError('validation_failed', {
      detail: [
        ...(isKnown ? [] : [problem('user_id', 'is required: the payment names no known top-up')]),
        ...(isWorth ? [] : [problem('decision', 'must be return: this payment is worth no credits')]),
      ],
    });
  }
  // What was paid includes the tax; the rest buys credits.
  const { taxMinor, terms } = await taxedAmount(pool, { userId, grossMinor: amountMinor });
  const units = topupUnits(amountMinor - taxMinor, currency);
  return { userId, topupId: newId('top'), units, taxMinor, terms };
}

function problem(field: string, msg: string): FieldProblem {
  return { loc: ['body', field], msg, type: 'value' };
}

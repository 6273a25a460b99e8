import { isCurrency, topupUnits } from '../../domain/billing/billing';
import { MarketError } from '../../domain/errors';
import type { PaymentDecision, PaymentState } from '../../domain/billing/payment';
import { newId } from '../../kit/ids/ids';
import { isRazorpaySignature, razorpayEventId, readRazorpayEvent } from '../../kit/rails/razorpay-event';
import type { Logger } from '../../logger';
import { type DbPool, withTransaction } from '../../stores/db';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import * as store from '../../stores/billing/payments';
import { findUser } from '../../stores/accounts/users';

export type Payment = store.PaymentRow;

export interface PaymentEventRequest {
  body: Buffer;
  /** Headers `X-Razorpay-Signature` and `X-Razorpay-Event-Id`. */
  signature: string | undefined;
  eventId: string | undefined;
}

export interface PaymentRuling {
  operatorUserId: string;
  paymentId: string;
  decision: PaymentDecision;
  /** Whose credits it becomes; default: whose top-up it names. */
  userId: string | undefined;
  reason: string;
  traceId: string | null;
}

/**
 * What payment providers tell us, and what operators decide about money that did not fit (contract, "Billing"). An
 * event is believed by its signature alone, and may come any number of times, at once and in any order.
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
     * Takes an event in; what it moves is committed when this returns.
     * @throws 401 `invalid_credentials` for a wrong signature; 400 and 422 for what no event looks like.
     */
    async receive({ body, signature, eventId: named }: PaymentEventRequest): Promise<void> {
      if (!isRazorpaySignature(body, signature, webhookSecrets)) {
        throw new MarketError('invalid_credentials', { message: 'The signature is not of this body.' });
      }
      const event = readRazorpayEvent(body);
      const row = { provider: 'razorpay', eventId: razorpayEventId(named, body), type: event.type } as const;
      if (event.kind === 'other') return store.noteEvent(pool, row);
      if (event.kind === 'link_over') return void (await store.closeLink(pool, row, event.reference));
      const outcome = await store.recordPayment(pool, row, event.payment);
      if (outcome !== 'quarantined') return;
      logger.warn({ paymentId: event.payment.id }, 'a payment waits for an operator: it fits no top-up');
    },

    list: (filter: { state?: PaymentState; beforeId?: string | undefined; limit: number }) =>
      store.listPayments(pool, filter),

    get: existing,

    /**
     * Decides about a quarantined payment, once, and writes down who did and why.
     * @throws 404; 409 `invalid_state` unless it is quarantined; 422 when nobody or nothing can be credited.
     */
    async resolve(ruling: PaymentRuling): Promise<Payment> {
      const payment = await existing(ruling.paymentId);
      const credit = ruling.decision === 'credit' ? await creditOf(pool, payment, ruling.userId) : null;
      await withTransaction(pool, async (tx) => {
        const { paymentId, operatorUserId, reason, decision, traceId } = ruling;
        const outcome = await store.resolvePayment(tx, { paymentId, credit, traceId });
        if (outcome === 'no_payment') throw new MarketError('not_found');
        if (outcome === 'not_quarantined') {
          throw new MarketError('invalid_state', { message: 'This payment is not in quarantine.' });
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

async function creditOf(pool: DbPool, payment: Payment, named: string | undefined) {
  const userId = named ?? payment.userId;
  const unknown = userId === null || !(await findUser(pool, userId));
  if (unknown) throw wrong('user_id', 'name an account: the payment names no top-up of ours');
  const { currency, amountMinor } = payment;
  if (!isCurrency(currency) || amountMinor === 0) {
    throw wrong('decision', 'this money is worth no credits; it can only be returned');
  }
  return { userId, topupId: newId('top'), units: topupUnits(amountMinor, currency) };
}

function wrong(field: string, msg: string): MarketError {
  return new MarketError('validation_failed', { detail: [{ loc: ['body', field], msg, type: 'value' }] });
}

import { isCurrency, isFixed, topupUnits } from '../../domain/billing/billing';
import { type FieldProblem, MarketError } from '../../domain/errors';
import type {
  PaymentDecision,
  PaymentEvent,
  PaymentState,
  ReportedReversal,
  ReportingProvider,
} from '../../domain/billing/payment';
import { newId } from '../../kit/ids/ids';
import type { Logger } from '../../logger';
import { type DbPool, withTransaction } from '../../stores/db';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import * as store from '../../stores/billing/payments';
import * as reversals from '../../stores/billing/payment-reversals';
import { noteCard } from '../../stores/accounts/owner-signs';
import { endMethod, keepMethod } from '../../stores/billing/saved-methods';
import { findUser } from '../../stores/accounts/users';
import { taxedAmount } from './taxes';
import type { EventDelivery } from './providers/payment-provider';
import type { PaymentProviders } from './providers/payment-providers';
import type { TopupPrices } from './topup-prices';

export type Payment = store.PaymentRow;
export type Reversal = reversals.ReversalRow;

export interface PaymentDeps {
  pool: DbPool;
  providers: PaymentProviders;
  prices: TopupPrices;
  logger: Logger;
}

export interface RefundWish {
  operatorUserId: string;
  paymentId: string;
  /** Undefined: the whole payment. */
  amountMinor: number | undefined;
  reason: string;
  /** The same key refunds once. */
  key: string;
  traceId: string | null;
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
export function createPayments(deps: PaymentDeps) {
  const { pool } = deps;

  return {
    /**
     * Processes an event of a provider; its effects are committed when this returns. Throws `invalid_credentials` for a
     * wrong signature, and 400 or 422 errors for a malformed event.
     */
    async receive(provider: ReportingProvider, delivery: EventDelivery): Promise<void> {
      const read = deps.providers.named(provider).readEvent?.(delivery);
      if (!read) throw new MarketError('not_found');
      await carryOut(deps, { provider, eventId: read.eventId, type: read.event.type }, read.event);
    },

    list: (filter: { state?: PaymentState; beforeId?: string | undefined; limit: number }) =>
      store.listPayments(pool, filter),

    /** Lists refunds and chargebacks, newest first; `owed`: only those with a debt. */
    reversals: (filter: reversals.ReversalFilter) => reversals.listReversals(pool, filter),

    get: (paymentId: string) => existing(deps, paymentId),

    /**
     * Resolves a quarantined payment once and appends an audit log entry. Throws `not_found`, `invalid_state` if the
     * payment is not quarantined, `validation_failed` if there is no account or no amount to credit.
     */
    async resolve(ruling: PaymentRuling): Promise<Payment> {
      const payment = await existing(deps, ruling.paymentId);
      const credit = ruling.decision === 'credit' ? await creditOf(deps, payment, ruling.userId) : null;
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
      return existing(deps, ruling.paymentId);
    },

    refund: (wish: RefundWish): Promise<Payment> => refund(deps, wish),
  };
}

export type Payments = ReturnType<typeof createPayments>;

/** Reads a payment. Throws `not_found`. */
async function existing({ pool }: PaymentDeps, paymentId: string): Promise<Payment> {
  const payment = await store.readPayment(pool, paymentId);
  if (!payment) throw new MarketError('not_found');
  return payment;
}

/**
 * Sends money of a payment back by its provider, after an audit log entry. The provider reports the refund, which
 * then takes the credits. Throws `not_found`, `invalid_state` if the provider refunds nothing or the payment was
 * returned before, `validation_failed` for more than was paid, `not_ready` if the provider does not carry it out.
 */
async function refund(deps: PaymentDeps, wish: RefundWish): Promise<Payment> {
  const payment = await existing(deps, wish.paymentId);
  const { provider, amountMinor: paidMinor, currency } = payment;
  const amountMinor = wish.amountMinor ?? paidMinor;
  const row = deps.providers.named(provider);
  if (!row.refund || payment.state === 'resolved_returned')
    throw new MarketError('invalid_state', { message: 'This payment was returned before.' });
  if (amountMinor > paidMinor)
    throw new MarketError('validation_failed', {
      detail: [problem('amount_minor', `must be <= ${paidMinor}, the amount that was paid`)],
    });
  const { operatorUserId, paymentId, reason, traceId, key } = wish;
  const details = { amount_minor: amountMinor, currency };
  const action = {
    operatorUserId,
    action: 'payment.refund' as const,
    subject: paymentId,
    reason,
    details,
    traceId,
  };
  await withTransaction(deps.pool, (tx) => recordOperatorAction(tx, action));
  await row.refund({ paymentId, amountMinor, key });
  return existing(deps, paymentId);
}

/** Carries out what an event says, in one statement for each table that it concerns. */
async function carryOut(deps: PaymentDeps, row: store.PaymentEventRow, event: PaymentEvent): Promise<void> {
  const { pool, logger } = deps;
  switch (event.kind) {
    case 'other':
      return store.noteEvent(pool, row);
    case 'link_over':
      return void (await store.closeLink(pool, row, event.reference));
    case 'declined':
      return store.declinePayment(pool, row, event);
    case 'reversal':
      return reverse(deps, row, event.reversal);
    case 'method_ended':
      await endMethod(pool, row.provider, event.methodRef, 'provider');
      return store.noteEvent(pool, row);
    case 'paid':
      await store.recordPayment(pool, row, event.payment).then((outcome) => {
        if (outcome !== 'quarantined') return;
        const { id: paymentId } = event.payment;
        logger.warn({ paymentId }, 'quarantined a payment that matches no top-up; an operator must decide');
      });
      // Also for a repeated event: the process may have ended between the two.
      return keepSaved(deps, row.provider, event);
  }
}

/** Keeps the method that the payer saved. A provider that does not answer costs the label, not the method. */
async function keepSaved(
  { pool, providers, logger }: PaymentDeps,
  provider: ReportingProvider,
  { payment, saved }: Extract<PaymentEvent, { kind: 'paid' }>,
): Promise<void> {
  const ways = providers.named(provider).saved;
  if (!saved || !ways || payment.reference === null) return;
  const { label, fingerprint } = await ways.facts(saved.methodRef).catch((error: unknown) => {
    logger.warn({ err: error }, 'a saved payment method has no label');
    return { label: 'Payment method', fingerprint: null };
  });
  await keepMethod(pool, { methodId: newId('svm'), topupId: payment.reference, provider, label, ...saved });
  if (fingerprint !== null) await noteCard(pool, payment.reference, fingerprint);
}

async function reverse(
  { pool, logger }: PaymentDeps,
  row: store.PaymentEventRow,
  reversal: ReportedReversal,
): Promise<void> {
  const outcome = await reversals.recordReversal(pool, row, reversal);
  logger.warn({ ...reversal, outcome }, 'the payment provider reported a refund or a dispute');
}

/** The account to credit, and the units: at the rate of the top-up that the payment names, else at the newest one. */
async function creditOf(deps: PaymentDeps, payment: Payment, named: string | undefined) {
  const userId = named ?? payment.userId;
  const isKnown = userId !== null && (await findUser(deps.pool, userId)) !== undefined;
  const { amountMinor, currency } = payment;
  // What was paid includes the tax; the rest buys credits.
  const taxed = isKnown ? await taxedAmount(deps.pool, { userId, grossMinor: amountMinor }) : undefined;
  const units = isCurrency(currency) ? await worthOf(deps, payment, amountMinor - (taxed?.taxMinor ?? 0)) : 0;
  if (!taxed || !isKnown || units === 0) {
    throw new MarketError('validation_failed', {
      detail: [
        ...(isKnown ? [] : [problem('user_id', 'is required: the payment names no known top-up')]),
        ...(units > 0 ? [] : [problem('decision', 'must be return: this payment is worth no credits')]),
      ],
    });
  }
  const { taxMinor, terms } = taxed;
  return { userId, topupId: newId('top'), units, taxMinor, terms };
}

async function worthOf({ prices }: PaymentDeps, payment: Payment, netMinor: number): Promise<number> {
  const { currency, amountMinor, expectedCurrency, expectedMinor, expectedUnits } = payment;
  if (!isCurrency(currency) || netMinor === 0) return 0;
  if (isFixed(currency)) return topupUnits(netMinor, currency);
  if (expectedCurrency === currency && expectedMinor !== null && expectedUnits !== null)
    return Number((BigInt(amountMinor) * BigInt(expectedUnits)) / BigInt(expectedMinor));
  const price = await prices.price(netMinor, currency);
  return typeof price === 'string' ? 0 : price.units;
}

function problem(field: string, msg: string): FieldProblem {
  return { loc: ['body', field], msg, type: 'value' };
}

/**
 * Reads events of Stripe whose signature was verified. Which types a webhook endpoint at Stripe needs is in
 * docs/operators/payments.md.
 */
import { MarketError } from '../../domain/errors';
import {
  type PaymentEvent,
  type ReversalKind,
  type ReversalStep,
  TOPUP_REFERENCE,
} from '../../domain/billing/payment';
import { isStorable } from '../../domain/json-value';
import { parseStrictJson } from '../json/strict-json';
import { amountAt, at, textAt } from './event-fields';

/** The body of an event is `{id, type, data: {object}}`. */
const OBJECT = 'data.object';

/**
 * Reads an event with its id. The money of a top-up is reported by `payment_intent.succeeded`, for a payment page and
 * for a saved method alike. Payments without the id of a top-up in their metadata belong to other systems of the same
 * account at Stripe and are `other`. Throws `malformed_json` (400), or `validation_failed` (422) when a field that the
 * type requires is missing.
 */
export function readStripeEvent(body: Buffer): { eventId: string; event: PaymentEvent } {
  const value = parseStrictJson(body).value;
  return { eventId: textAt(value, 'id'), event: eventOf(value, textAt(value, 'type')) };
}

function eventOf(event: unknown, type: string): PaymentEvent {
  switch (type) {
    case 'payment_intent.succeeded':
      return ofTopup(event, type, paidOf);
    case 'payment_intent.payment_failed':
      return ofTopup(event, type, declinedOf);
    case 'checkout.session.expired':
    case 'checkout.session.async_payment_failed':
      return { kind: 'link_over', type, reference: storable(at(event, `${OBJECT}.client_reference_id`)) };
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return reversalOf(event, type, { kind: 'refund', step: REFUND_STEPS[statusOf(event)] });
    case 'charge.dispute.created':
      return reversalOf(event, type, { kind: 'dispute', step: 'open' });
    case 'charge.dispute.funds_withdrawn':
      return reversalOf(event, type, { kind: 'dispute', step: 'take' });
    case 'charge.dispute.funds_reinstated':
      return reversalOf(event, type, { kind: 'dispute', step: 'return' });
    case 'charge.dispute.closed':
      return reversalOf(event, type, { kind: 'dispute', step: DISPUTE_ENDS[statusOf(event)] });
    case 'payment_method.detached':
      return { kind: 'method_ended', type, methodRef: textAt(event, `${OBJECT}.id`) };
    default:
      return { kind: 'other', type };
  }
}

/** Stripe takes a refund from the balance when it is created, and puts it back when it fails. */
const REFUND_STEPS: Readonly<Record<string, ReversalStep>> = {
  pending: 'take',
  succeeded: 'take',
  failed: 'return',
  canceled: 'return',
};
const DISPUTE_ENDS: Readonly<Record<string, ReversalStep>> = {
  lost: 'take',
  won: 'return',
  warning_closed: 'close',
};

const statusOf = (event: unknown): string => {
  const status = at(event, `${OBJECT}.status`);
  return typeof status === 'string' ? status : '';
};

/**
 * An event about a payment intent: read strictly if it names a top-up of this service, else as far as it can be read.
 */
function ofTopup(
  event: unknown,
  type: string,
  read: (event: unknown, type: string, reference: string) => PaymentEvent,
): PaymentEvent {
  const reference = storable(at(event, `${OBJECT}.metadata.topup_id`));
  if (reference === null) return { kind: 'other', type };
  if (TOPUP_REFERENCE.test(reference)) return read(event, type, reference);
  try {
    return read(event, type, reference);
  } catch (error) {
    if (error instanceof MarketError) return { kind: 'other', type };
    throw error;
  }
}

function paidOf(event: unknown, type: string, reference: string): PaymentEvent {
  const saves = at(event, `${OBJECT}.setup_future_usage`) === 'off_session';
  const customerRef = at(event, `${OBJECT}.customer`);
  const methodRef = at(event, `${OBJECT}.payment_method`);
  const isSaved = saves && isId(customerRef) && isId(methodRef);
  return {
    kind: 'paid',
    type,
    payment: {
      id: textAt(event, `${OBJECT}.id`),
      amountMinor: amountAt(event, `${OBJECT}.amount_received`),
      currency: textAt(event, `${OBJECT}.currency`, 16).toUpperCase(),
      reference,
    },
    ...(isSaved && { saved: { customerRef, methodRef } }),
  };
}

function declinedOf(event: unknown, type: string, reference: string): PaymentEvent {
  const error = `${OBJECT}.last_payment_error`;
  const code = at(event, `${error}.decline_code`) ?? at(event, `${error}.code`);
  return { kind: 'declined', type, reference, reason: declineReason(code) };
}

/** The code of a refused payment, for people and programs; `declined` for a code of another form. */
export function declineReason(code: unknown): string {
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : 'declined';
}

/** A refund or a dispute. One of a charge without a payment intent belongs to another system. */
function reversalOf(
  event: unknown,
  type: string,
  { kind, step }: { kind: ReversalKind; step: ReversalStep | undefined },
): PaymentEvent {
  const paymentId = at(event, `${OBJECT}.payment_intent`);
  const id = textAt(event, `${OBJECT}.id`);
  if (step === undefined || !isId(paymentId) || !isId(id)) return { kind: 'other', type };
  const reversal = {
    id,
    kind,
    step,
    paymentId,
    amountMinor: amountAt(event, `${OBJECT}.amount`),
    currency: textAt(event, `${OBJECT}.currency`, 16).toUpperCase(),
  };
  return { kind: 'reversal', type, reversal };
}

const isId = (value: unknown): value is string => typeof value === 'string' && /^\w{1,100}$/.test(value);

const MOST_REFERENCE_CHARACTERS = 100;

/** A text that another system may have written, cut to what is stored; null for none. */
function storable(value: unknown): string | null {
  if (typeof value !== 'string' || value === '' || !isStorable(value)) return null;
  return Array.from(value).slice(0, MOST_REFERENCE_CHARACTERS).join('');
}

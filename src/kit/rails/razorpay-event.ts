import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { MarketError } from '../../domain/errors';
import { parseStrictJson } from '../json/strict-json';
import {
  type PaymentEvent,
  type ReportedReversal,
  type ReversalKind,
  type ReversalStep,
  TOPUP_REFERENCE,
} from '../../domain/billing/payment';
import { isStorable } from '../../domain/json-value';
import { amountAt, at, textAt, wrong } from './event-fields';

/**
 * True when `signature` (hexadecimal, from the header) is the HMAC-SHA256 of the raw body under one of the secrets.
 * There are several because the provider resends old events under the secret with which they were first signed.
 */
export function isRazorpaySignature(
  body: Buffer,
  signature: string | undefined,
  secrets: readonly string[],
): boolean {
  if (signature === undefined || !/^[0-9a-f]{64}$/i.test(signature)) return false;
  const given = Buffer.from(signature, 'hex');
  return secrets.some((secret) => timingSafeEqual(createHmac('sha256', secret).update(body).digest(), given));
}

/**
 * Reads the body of an event. A captured payment through a payment link is `paid`; `link_over` means that the link can
 * no longer be paid; the reference of a link that another system made is any text or null; refunds and disputes are
 * `reversal`; all other events are `other`, and so is a payment through a link of another system that cannot be read,
 * because the provider disables a webhook that refuses events. Throws `malformed_json` (400), or `validation_failed`
 * (422) when a field that the event type requires is missing.
 */
export function readRazorpayEvent(body: Buffer): PaymentEvent {
  const event = parseStrictJson(body).value;
  const type = textAt(event, 'event');
  switch (type) {
    case 'payment_link.paid':
    case 'payment_link.partially_paid':
      return TOPUP_REFERENCE.test(referenceOf(event) ?? '') ? paidOf(event, type) : foreignOf(event, type);
    case 'payment_link.cancelled':
    case 'payment_link.expired':
      return {
        kind: 'link_over',
        type,
        reference: referenceOf(event),
      };
    case 'refund.processed':
      return { kind: 'reversal', type, reversal: reversalOf(event, 'refund', 'take') };
    case 'payment.dispute.created':
      return { kind: 'reversal', type, reversal: reversalOf(event, 'dispute', 'open') };
    case 'payment.dispute.lost':
      return { kind: 'reversal', type, reversal: reversalOf(event, 'dispute', 'take') };
    case 'payment.dispute.won':
      return { kind: 'reversal', type, reversal: reversalOf(event, 'dispute', 'return') };
    case 'payment.dispute.closed':
      return { kind: 'reversal', type, reversal: reversalOf(event, 'dispute', 'close') };
    default:
      return { kind: 'other', type };
  }
}

/** The id of an event: its header, or a hash of its bytes, so that a repeated event has the same id. */
export function razorpayEventId(header: string | undefined, body: Buffer): string {
  if (header !== undefined && /^[\x21-\x7e]{1,120}$/.test(header)) return header;
  return `sha256/${createHash('sha256').update(body).digest('hex')}`;
}

function paidOf(event: unknown, type: string): PaymentEvent {
  const entity = 'payload.payment.entity';
  if (textAt(event, `${entity}.status`) !== 'captured') return { kind: 'other', type };
  return {
    kind: 'paid',
    type,
    payment: {
      id: textAt(event, `${entity}.id`),
      amountMinor: amountAt(event, `${entity}.amount`),
      currency: textAt(event, `${entity}.currency`, 16),
      reference: referenceOf(event),
    },
  };
}

/** A payment through a link of another system, for an operator to decide; `other` if it cannot be read. */
function foreignOf(event: unknown, type: string): PaymentEvent {
  try {
    return paidOf(event, type);
  } catch (error) {
    if (error instanceof MarketError) return { kind: 'other', type };
    throw error;
  }
}

const MOST_REFERENCE_CHARACTERS = 100;

/**
 * Reads what a payment link is for: a top-up, or whatever another system of the same account at the provider wrote
 * there. Null when there is no reference, or none that can be stored.
 */
function referenceOf(event: unknown): string | null {
  const found = at(event, 'payload.payment_link.entity.reference_id');
  if (typeof found !== 'string' || found === '' || !isStorable(found)) return null;
  return Array.from(found).slice(0, MOST_REFERENCE_CHARACTERS).join('');
}

/** Reads a refund or a dispute. The amount of a lost dispute is the amount that the provider deducted. */
function reversalOf(event: unknown, kind: ReversalKind, named: ReversalStep): ReportedReversal {
  const entity = `payload.${kind}.entity`;
  const id = textAt(event, `${entity}.id`);
  if (!/^\w+$/.test(id)) throw wrong(`${entity}.id`);
  const deducted = kind === 'dispute' && Number(at(event, `${entity}.amount_deducted`)) > 0;
  return {
    id,
    kind,
    step: named === 'close' && deducted ? 'take' : named,
    paymentId: textAt(event, `${entity}.payment_id`),
    amountMinor: amountAt(event, `${entity}.${deducted ? 'amount_deducted' : 'amount'}`),
    currency: textAt(event, `${entity}.currency`, 16),
  };
}

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { MarketError } from '../../domain/errors';
import { parseStrictJson } from '../json/strict-json';
import type { ReversalKind, ReversalStep } from '../../domain/billing/payment';
import { isRecord, isStorable } from '../../domain/json-value';

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

/** An event, reduced to what the service acts on. */
export type RazorpayEvent =
  | {
      kind: 'paid';
      type: string;
      payment: { id: string; amountMinor: number; currency: string; reference: string | null };
    }
  | { kind: 'link_over'; type: string; reference: string | null }
  | { kind: 'reversal'; type: string; reversal: ReportedReversal }
  | { kind: 'other'; type: string };

/** A step of a refund or of a bank's dispute. */
interface ReportedReversal {
  id: string;
  kind: ReversalKind;
  step: ReversalStep;
  paymentId: string;
  amountMinor: number;
  currency: string;
}

/**
 * Reads the body of an event. A captured payment through a payment link is `paid`; `link_over` means that the link can
 * no longer be paid; the reference of a link that another system made is any text or null; refunds and disputes are
 * `reversal`; all other events are `other`, and so is a payment through a link of another system that cannot be read,
 * because the provider disables a webhook that refuses events. Throws `malformed_json` (400), or `validation_failed`
 * (422) when a field that the event type requires is missing.
 */
export function readRazorpayEvent(body: Buffer): RazorpayEvent {
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

function paidOf(event: unknown, type: string): RazorpayEvent {
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

/** The form of the references that this service gives to its links. */
const TOPUP_REFERENCE = /^top_[0-9a-f]{32}$/;

/** A payment through a link of another system, for an operator to decide; `other` if it cannot be read. */
function foreignOf(event: unknown, type: string): RazorpayEvent {
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

/** Reads an amount in minor units. Throws `validation_failed` if it is not a whole number from 0 on. */
function amountAt(event: unknown, path: string): number {
  const amount = at(event, path);
  if (typeof amount === 'number' && Number.isSafeInteger(amount) && amount >= 0) return amount;
  throw wrong(path);
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => {
    return isRecord(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
  }, value);
}

/** Reads an id, type or code of the provider, which are visible ASCII. Throws `validation_failed` otherwise. */
function textAt(value: unknown, path: string, maxLength = 100): string {
  const found = at(value, path);
  if (typeof found === 'string' && found.length <= maxLength && /^[\x21-\x7e]+$/.test(found)) return found;
  throw wrong(path);
}

function wrong(path: string): MarketError {
  const detail = [
    { loc: ['body', ...path.split('.')], msg: 'is missing or has an unexpected value', type: 'type' },
  ];
  return new MarketError('validation_failed', { detail });
}

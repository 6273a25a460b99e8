/** The refusals of paid calls, each with the headers of x402: what to pay, and what became of a payment. */
import { MarketError, withX402 } from '../../domain/errors';
import type { PaymentFlaw, PresentedPayment } from '../../domain/x402/payment-payload';
import { callPaymentRequired, type PaidResource } from '../../domain/x402/payment-terms';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import type { X402Rail } from './x402-rail';

/** A call that its caller is to pay, at the price of now. */
export interface PricedCall {
  version: ServingVersion;
  resource: PaidResource;
  credits: number;
}

/** A call with a payment whose terms fit. */
export interface PresentedCall extends PricedCall {
  payment: PresentedPayment;
}

/** Errors that another payment can help with. */
const ASKS = new Set([
  'payment_required',
  'payment_invalid',
  'payment_failed',
  'max_cost_exceeded',
  'insufficient_credits',
]);
const UNSETTLED: Readonly<Record<string, string>> = {
  payment_failed: 'settlement_failed',
  payment_pending: 'settlement_pending',
};

/**
 * The error with its headers; one that another payment does not help with stays as it is. `payer`: of a payment that
 * was verified.
 */
export function withRequirement(
  { target }: Pick<X402Rail, 'target'>,
  { version, resource, credits }: PricedCall,
  error: MarketError,
  payer?: string,
): MarketError {
  const reason = `${error.code}: ${error.message}`;
  const errorReason = UNSETTLED[error.code];
  const { network } = target;
  const headers = {
    ...(ASKS.has(error.code) && {
      required: callPaymentRequired(target, version, { credits, resource, reason }),
    }),
    ...(payer !== undefined &&
      errorReason !== undefined && {
        settlement: { success: false, errorReason, transaction: '', network, payer },
      }),
  };
  return Object.keys(headers).length === 0 ? error : withX402(error, headers);
}

/** The refusal of a payment that does not fit. */
export function flawed(rail: X402Rail, call: PricedCall, { malformed, message }: PaymentFlaw): MarketError {
  if (!malformed) return withRequirement(rail, call, new MarketError('payment_invalid', { message }));
  const text = `PAYMENT-SIGNATURE is no payment of x402 version 2. ${message}`;
  return new MarketError('invalid_header', {
    message: text,
    detail: [{ loc: ['header', 'PAYMENT-SIGNATURE'], msg: text, type: 'invalid_header' }],
  });
}

export function reused(): MarketError {
  return new MarketError('idempotency_key_reused', {
    message:
      'This authorization, or this payment-identifier, was sent with another payment, input or agent. Sign another one.',
  });
}

/** Too many payments wait for their verification. */
export function crowded(): MarketError {
  return new MarketError('concurrency_limited', {
    message: 'Too many payments are being verified. Nothing was charged. Retry with the same payment.',
    retryAfterSeconds: 2,
  });
}

/** `resetAt`: when there are points again, in ms since the epoch. */
export function tooManyPayments(resetAt: number): MarketError {
  const retryAfterSeconds = Math.max(1, Math.ceil((resetAt - Date.now()) / 1_000));
  return new MarketError('rate_limited', {
    message: 'Too many payments from this network, or of this address. Nothing was charged.',
    retryAfterSeconds,
  });
}

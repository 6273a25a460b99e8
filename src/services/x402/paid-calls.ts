/**
 * Calls of callers without an account, who pay each of them by x402 (docs/pay-per-call.md, ADR 0309). The paying
 * address has an account of its own, whose wallet is credited, so that fee, escrow, refund and receipt are those of
 * every call.
 */
import { MarketError } from '../../domain/errors';
import { readPayment } from '../../domain/x402/payment-payload';
import { creditsToPay, exactTerms, type PaidResource } from '../../domain/x402/payment-terms';
import type { SchemaPool } from '../../kit/schemas/schema-pool';
import type { Logger } from '../../logger';
import { pricedNow, type ServingVersion } from '../../stores/catalogue/serving-versions';
import * as store from '../../stores/x402/x402-payments';
import { type PreparedInput, requireInput } from '../calls/agent/input-check';
import type { CallPayment } from '../calls/agent/in-flight';
import { createCallPayment } from './call-payment';
import { flawed, type PresentedCall, type PricedCall, withRequirement } from './payment-answers';
import { readIsListed } from '../../stores/catalogue/agents';
import { itemOf, signedOf } from './payment-item';
import { createProvenPayments, type ProvenPaymentsDeps } from './proven-payments';
import type { X402Rail } from './x402-rail';

export type { PresentedCall };

export interface PaidCallsDeps extends ProvenPaymentsDeps {
  /** Undefined if payments by x402 are off; then nothing is called. */
  rail: X402Rail | undefined;
  schemas: SchemaPool;
  logger: Logger;
}

/** A call whose payment was verified, or is known. */
export interface PaidCall {
  userId: string;
  /** The key of the call, unless its caller sends one. */
  defaultKey: string;
  payment: CallPayment;
  /** The most that the call may cost, in credits: what was paid. */
  credits: number;
  item: store.PaymentItem;
  /** False for a payment that is known. */
  isNew: boolean;
}

/** A call has ended so long after its agent's deadline. */
const END_MARGIN_MS = 60_000;

export function createPaidCalls(deps: PaidCallsDeps) {
  const proven = createProvenPayments(deps);

  function railOf(): X402Rail {
    if (!deps.rail) throw new Error('payments by x402 are off');
    return deps.rail;
  }

  return {
    /**
     * What a call costs its caller; undefined if it cannot be paid by x402: it is free, or its agent takes jobs.
     * `ceiling`: the caller's own, in credits.
     */
    price(version: ServingVersion, resource: PaidResource, ceiling: number | null): PricedCall | undefined {
      const priced = pricedNow(version);
      const credits = creditsToPay(priced, ceiling);
      return credits === null ? undefined : { version: priced, resource, credits };
    },

    /** The refusal that asks for the payment of a call. */
    asked: (call: PricedCall): MarketError =>
      withRequirement(railOf(), call, new MarketError('payment_required')),

    /** Reads the payment of a call. Throws `invalid_header` and `payment_invalid`. */
    read(call: PricedCall, value: unknown): PresentedCall {
      const rail = railOf();
      const terms = exactTerms(rail.target, call.version, call.credits);
      const found = readPayment(value, terms, Math.floor(Date.now() / 1_000));
      if ('flaw' in found) throw flawed(rail, call, found.flaw);
      return { ...call, payment: found.payment };
    },

    /**
     * Verifies the payment of a call. `network`: that of the caller. Throws the refusals of its input, `rate_limited`,
     * and those of `prove`.
     */
    async verify(
      call: PresentedCall,
      { input, network, traceId }: { input: PreparedInput; network: string; traceId: string },
    ): Promise<PaidCall> {
      const rail = railOf();
      const item = itemOf(rail, call, { inputSha256: input.sha256, traceId });
      proven.count(network, item.payer);
      await requireInput(deps.schemas, call.version, input);
      const isListed = await readIsListed(deps.pool, call.version.agentId);
      const isNew = await proven.prove(rail, call, { item, network, isListed });
      const longestMs = call.version.timeoutMs + END_MARGIN_MS;
      const signed = signedOf(rail, call, isListed);
      const payment = createCallPayment({ ...deps, rail }, { item, signed, longestMs });
      const defaultKey = `x:${item.nonce}`;
      return { userId: item.user_id, defaultKey, payment, credits: call.credits, item, isNew };
    },

    /**
     * Ends a payment whose call failed or was refused: takes its credits back, and watches its authorization. Returns
     * the error for the caller.
     */
    async failed(call: PresentedCall, paid: PaidCall, error: unknown): Promise<unknown> {
      const { payment_id: paymentId, payer } = paid.item;
      await release(deps, paid, error).catch((err: unknown) =>
        deps.logger.error({ err, paymentId }, 'the credits of a payment wait to be taken back'),
      );
      return error instanceof MarketError ? withRequirement(railOf(), call, error, payer) : error;
    },

    receipt: (invocationId: string) => receiptOf(deps, invocationId),
  };
}

export type PaidCalls = ReturnType<typeof createPaidCalls>;

/** The object of the header `PAYMENT-RESPONSE` for a call that succeeded; undefined if it cost nothing. */
async function receiptOf(
  { pool }: PaidCallsDeps,
  invocationId: string,
): Promise<Record<string, unknown> | undefined> {
  const payment = await store.paymentOfCall(pool, invocationId);
  if (payment?.state === 'held') await store.releasePayment(pool, payment.paymentId, 'free');
  if (payment?.state !== 'settled') return undefined;
  const { network, payer, txHash: transaction, amountMinor } = payment;
  return { success: true, transaction, network, payer, amount: String(amountMinor) };
}

/** Takes the credits back, or, if no call was accepted, remembers the payment that the facilitator has seen. */
async function release({ pool }: PaidCallsDeps, { item, isNew }: PaidCall, error: unknown): Promise<void> {
  const known = await store.findPayment(pool, item);
  if (known?.state === 'held') {
    const code = error instanceof MarketError ? error.code : 'internal_error';
    await store.releasePayment(pool, known.paymentId, code);
  } else if (!known && isNew) await store.watchPayment(pool, item);
}

/** Payments by x402 as operators read them: which wait, and what became of one (docs/pay-per-call.md). */
import { MarketError } from '../../domain/errors';
import type { X402State } from '../../domain/x402/payment-state';
import { lowestIdAt } from '../../kit/ids/ids';
import type { DbPool } from '../../stores/db';
import * as lists from '../../stores/x402/x402-payment-lists';
import type { PayerAccount, Refunds } from './refunds';

export type ListedPayment = lists.ListedPayment;

/** A payment, its call, and what its paying address has now. */
export interface PaymentDetail extends lists.PaymentWithCall, Pick<PayerAccount, 'refunds'> {
  creditUnits: number;
}

export interface PaymentSearch {
  state: X402State | undefined;
  /** In any case. */
  address: string | undefined;
  /** The first millisecond of a UTC day. */
  day: Date | undefined;
  beforeId: string | undefined;
  limit: number;
}

const DAY_MS = 86_400_000;

export function createOperatorX402({ pool, refunds }: { pool: DbPool; refunds: Pick<Refunds, 'account'> }) {
  return {
    list: ({ state, address, day, beforeId, limit }: PaymentSearch) =>
      lists.listX402Payments(pool, {
        state,
        payer: address?.toLowerCase(),
        ...(day && {
          fromId: lowestIdAt('xpm', day.getTime()),
          toId: lowestIdAt('xpm', day.getTime() + DAY_MS),
        }),
        beforeId,
        limit,
      }),

    /** Throws `not_found`. */
    async get(paymentId: string): Promise<PaymentDetail> {
      const payment = await lists.readX402Payment(pool, paymentId);
      if (!payment) throw new MarketError('not_found');
      const account = await refunds.account(payment);
      return { ...payment, creditUnits: account.units, refunds: account.refunds };
    },
  };
}

export type OperatorX402 = ReturnType<typeof createOperatorX402>;

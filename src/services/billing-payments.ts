import type { Currency } from '../domain/billing';

/** What a payment provider is told about a top-up. */
export interface PaymentRequest {
  topupId: string;
  amountMinor: number;
  currency: Currency;
}

/** `paid`: the money is there. `pending`: the payer pays at `url`, and the provider will tell us. */
export type Payment =
  { status: 'paid'; reference: string } | { status: 'pending'; reference: string; url: string };

/**
 * Where money comes in. Adapters must be safe to ask twice about one top-up: after a crash the same top-up id is
 * started again and must give the same payment.
 */
export interface PaymentProvider {
  readonly name: 'sandbox' | 'razorpay';
  start(request: PaymentRequest): Promise<Payment>;
}

/** No money moves: every top-up is paid at once, and its invoice is marked `sandbox`. */
export const sandboxPayments: PaymentProvider = {
  name: 'sandbox',
  start: ({ topupId }) => Promise.resolve({ status: 'paid', reference: `sandbox/${topupId}` }),
};

/** The provider that the setting PAYMENT_PROVIDER names. */
export function choosePayments(name: 'sandbox' | 'razorpay'): PaymentProvider {
  if (name === 'sandbox') return sandboxPayments;
  throw new Error(`PAYMENT_PROVIDER=${name} is not built yet; set PAYMENT_PROVIDER=sandbox`);
}

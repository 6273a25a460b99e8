import type { Currency } from '../../domain/billing/billing';
import { MarketError } from '../../domain/errors';
import type { Config } from '../../config';
import type { Egress } from '../../egress/agent-call';
import { EgressError } from '../../egress/egress-error';
import { createRazorpay, type Razorpay } from '../../egress/razorpay';
import type { Logger } from '../../logger';

/** A top-up as sent to a payment provider. */
export interface PaymentRequest {
  topupId: string;
  amountMinor: number;
  currency: Currency;
}

/** `paid`: the money has arrived. `pending`: the payer pays at `url`, and the provider reports it later. */
export type Payment =
  { status: 'paid'; reference: string } | { status: 'pending'; reference: string; url: string };

/**
 * A source of payments. Adapters must be idempotent per top-up: after a crash, the same top-up id is started again and
 * must give the same payment.
 */
export interface PaymentProvider {
  readonly name: 'sandbox' | 'razorpay';
  start(request: PaymentRequest): Promise<Payment>;
}

/** Moves no money: every top-up is paid immediately, and its invoice is marked `sandbox`. */
export const sandboxPayments: PaymentProvider = {
  name: 'sandbox',
  start: ({ topupId }) => Promise.resolve({ status: 'paid', reference: `sandbox/${topupId}` }),
};

/** Creates a payment link per top-up. The credits are added when the provider's signed event arrives (payments.ts). */
function razorpayPayments(razorpay: Razorpay, logger: Logger): PaymentProvider {
  return {
    name: 'razorpay',
    async start({ topupId, amountMinor, currency }) {
      const description = `Marketplace credits, top-up ${topupId}`;
      try {
        const link = await razorpay.paymentLink({ referenceId: topupId, amountMinor, currency, description });
        return { status: 'pending', reference: link.linkId, url: link.url };
      } catch (error) {
        if (!(error instanceof EgressError)) throw error;
        logger.warn({ err: error }, 'the payment provider did not create a payment link');
        throw new MarketError('not_ready', {
          message:
            'The payment provider does not answer. Nothing was paid. Retry with the same Idempotency-Key.',
          cause: error,
        });
      }
    },
  };
}

/** The payment provider of the settings. Throws `Error` with the names of missing secrets. */
export function choosePayments(deps: { config: Config; egress: Egress; logger: Logger }): PaymentProvider {
  const { config, egress, logger } = deps;
  if (config.PAYMENT_PROVIDER === 'sandbox') return sandboxPayments;
  const { RAZORPAY_API_URL: apiUrl, RAZORPAY_KEY_ID: keyId, RAZORPAY_KEY_SECRET: keySecret } = config;
  if (!keyId || !keySecret || config.RAZORPAY_WEBHOOK_SECRETS.length === 0) {
    throw new Error(
      'PAYMENT_PROVIDER=razorpay needs RAZORPAY_KEY_ID, RAZORPAY_KEY_SECRET and RAZORPAY_WEBHOOK_SECRETS',
    );
  }
  return razorpayPayments(createRazorpay(egress, { apiUrl, keyId, keySecret }), logger);
}

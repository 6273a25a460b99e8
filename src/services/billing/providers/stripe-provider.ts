import { createStripe, isStripeSignature, type StripeClient } from '../../../egress/stripe';
import { readStripeEvent } from '../../../kit/rails/stripe-event';
import {
  fromProvider,
  NOTHING_PAID,
  type PaymentProvider,
  paymentText,
  type ProviderDeps,
  TRY_AGAIN,
  wrongSignature,
} from './payment-provider';

/**
 * Stripe: a payment page (Checkout) per top-up, and payment intents with methods that payers have saved. Credits are
 * added when the signed event of the payment intent arrives.
 */
export function stripeProvider({ config, egress, logger }: ProviderDeps): PaymentProvider {
  const { STRIPE_API_URL: apiUrl, STRIPE_SECRET_KEY: secretKey, PUBLIC_ORIGIN: origin } = config;
  const stripe: StripeClient | undefined = secretKey
    ? createStripe(egress, { apiUrl, secretKey })
    : undefined;
  // Without a key, events of payments from before are read, and nothing is started (`createPaymentProviders`).
  const client = (): StripeClient => {
    if (!stripe) throw new Error('STRIPE_SECRET_KEY is not set');
    return stripe;
  };
  return {
    name: 'stripe',

    async start({ topupId, amountMinor, currency, saves = false, customerRef = null }) {
      const request = {
        topupId,
        amountMinor,
        currency,
        description: paymentText(topupId),
        returnUrl: `${origin}/console/wallet`,
        saves,
        customerRef,
      };
      const page = await fromProvider(logger, NOTHING_PAID, () => client().checkout(request));
      return { status: 'pending', reference: page.sessionId, url: page.url };
    },

    readEvent({ body, header }) {
      if (!isStripeSignature(body, header('stripe-signature'), config.STRIPE_WEBHOOK_SECRETS))
        throw wrongSignature();
      return readStripeEvent(body);
    },

    refund: ({ paymentId, amountMinor, key }) =>
      fromProvider(logger, TRY_AGAIN, () => client().refund(paymentId, amountMinor, key)),

    saved: {
      async charge({ topupId, amountMinor, currency }, method) {
        const request = { topupId, amountMinor, currency, description: paymentText(topupId) };
        const answer = await fromProvider(logger, TRY_AGAIN, () => client().charge(request, method));
        return answer.status === 'pending' ? { status: 'pending', reference: answer.paymentId } : answer;
      },
      facts: (methodRef) => fromProvider(logger, TRY_AGAIN, () => client().methodFacts(methodRef)),
      end: (methodRef) => fromProvider(logger, TRY_AGAIN, () => client().detach(methodRef)),
    },
  };
}

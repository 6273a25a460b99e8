import { createRazorpay, type Razorpay } from '../../../egress/razorpay';
import { isRazorpaySignature, razorpayEventId, readRazorpayEvent } from '../../../kit/rails/razorpay-event';
import {
  fromProvider,
  NOTHING_PAID,
  type PaymentProvider,
  paymentText,
  type ProviderDeps,
  TRY_AGAIN,
  wrongSignature,
} from './payment-provider';

/** Razorpay: a payment link per top-up; credits are added when its signed event arrives. It saves no methods. */
export function razorpayProvider({ config, egress, logger }: ProviderDeps): PaymentProvider {
  const { RAZORPAY_API_URL: apiUrl, RAZORPAY_KEY_ID: keyId, RAZORPAY_KEY_SECRET: keySecret } = config;
  const razorpay: Razorpay = createRazorpay(egress, { apiUrl, keyId, keySecret });
  return {
    name: 'razorpay',

    async start({ topupId, amountMinor, currency }) {
      const request = { referenceId: topupId, amountMinor, currency, description: paymentText(topupId) };
      const link = await fromProvider(logger, NOTHING_PAID, () => razorpay.paymentLink(request));
      return { status: 'pending', reference: link.linkId, url: link.url };
    },

    readEvent({ body, header }) {
      if (!isRazorpaySignature(body, header('x-razorpay-signature'), config.RAZORPAY_WEBHOOK_SECRETS))
        throw wrongSignature();
      const event = readRazorpayEvent(body);
      return { eventId: razorpayEventId(header('x-razorpay-event-id'), body), event };
    },

    refund: ({ paymentId, amountMinor, key }) =>
      fromProvider(logger, TRY_AGAIN, () => razorpay.refund(paymentId, amountMinor, key)),
  };
}

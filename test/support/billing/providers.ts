/** The payment providers that report by events, for the test that runs against each of them (ADR 0302). */
import type { ReportingProvider } from '../../../src/domain/billing/payment';
import {
  disputeEvent,
  paidEvent,
  RAZORPAY,
  refundEvent,
  signRazorpay,
  startRazorpay,
  type RazorpayServer,
} from './razorpay';
import {
  paidIntent,
  reversalObject,
  signStripe,
  startStripe,
  STRIPE,
  stripeEnv,
  stripeEvent,
  type StripeServer,
} from './stripe';

export interface PaidOptions {
  paymentId: string;
  amount?: number;
  currency?: string;
}

interface Reversed {
  paymentId: string;
  id: string;
  amount: number;
  currency: string;
}

export interface TestProvider {
  /** The environment of a market; an older webhook secret is accepted too. */
  env: Record<string, string>;
  /** Payments that were started for a top-up. */
  startedFor(topupId: string): number;
  failNext(how: number | 'forget'): void;
  /** What the provider was asked to send back. */
  refunds(): { paymentId: string; amount: number }[];
  sign(body: string, secret?: string): Record<string, string>;
  /** Words that no payer may read. */
  secretWords: RegExp;
  paid(topupId: string, options: PaidOptions): string;
  /** The same payment, in another event. */
  linkOver(topupId: string): string;
  /** A payment that another system of the same account at the provider received. */
  foreign(paymentId: string): string;
  refund(options: Reversed): string;
  dispute(step: 'open' | 'take' | 'return', options: Reversed): string;
  /** Bodies of events that lack what their type requires. */
  malformed(topupId: string): string[];
  stop(): Promise<void>;
}

export const PROVIDERS_OF_TEST: Record<ReportingProvider, () => Promise<TestProvider>> = {
  razorpay: async () => razorpay(await startRazorpay('127.77.0.18')),
  stripe: async () => stripe(await startStripe('127.77.0.19')),
};

function razorpay(server: RazorpayServer): TestProvider {
  const linkOf = (topupId: string) =>
    server.links.find(({ reference_id: reference }) => reference === topupId) ?? {
      id: 'plink_x',
      amount: 50_000,
      currency: 'INR',
      reference_id: topupId,
    };
  const steps = { open: 'created', take: 'lost', return: 'won' } as const;
  return {
    env: {
      PAYMENT_PROVIDER: 'razorpay',
      RAZORPAY_API_URL: server.url,
      RAZORPAY_KEY_ID: RAZORPAY.keyId,
      RAZORPAY_KEY_SECRET: RAZORPAY.keySecret,
      RAZORPAY_WEBHOOK_SECRETS: `old-secret, ${RAZORPAY.webhookSecret}`,
    },
    startedFor: (topupId) => server.links.filter(({ reference_id: id }) => id === topupId).length,
    failNext: (how) => server.failNext(how),
    refunds: () => [...server.refunds.values()],
    sign: (body, secret) => ({ 'x-razorpay-signature': signRazorpay(body, secret) }),
    secretWords: /trouble|rzp|razorpay/i,
    paid: (topupId, options) => paidEvent(linkOf(topupId), options),
    linkOver: (topupId) => paidEvent(linkOf(topupId), { event: 'payment_link.expired' }),
    foreign: (paymentId) =>
      paidEvent({ id: 'plink_x', amount: 700, currency: 'INR', reference_id: 'Invoice 12' }, { paymentId }),
    refund: (options) => refundEvent(options),
    dispute: (step, options) => disputeEvent(steps[step], options),
    malformed: (topupId) => [
      JSON.stringify({
        event: 'payment_link.paid',
        payload: { payment_link: { entity: { reference_id: topupId } } },
      }),
      refundEvent({ paymentId: 'pay_1', amount: -1 }),
      refundEvent({ paymentId: 'pay_1', amount: 1.5 }),
      '[]',
    ],
    stop: () => server.stop(),
  };
}

function stripe(server: StripeServer): TestProvider {
  const sessionOf = (topupId: string) =>
    server.sessions.find(({ client_reference_id: reference }) => reference === topupId) ?? {
      id: 'cs_x',
      url: '',
      amount_total: 50_000,
      currency: 'inr',
      client_reference_id: topupId,
      customer: null,
      setup_future_usage: null,
    };
  const lower = ({ currency, ...rest }: Reversed) => ({ ...rest, currency: currency.toLowerCase() });
  const disputes = {
    open: ['charge.dispute.created', 'needs_response'],
    take: ['charge.dispute.funds_withdrawn', 'under_review'],
    return: ['charge.dispute.closed', 'won'],
  } as const;
  const refund = (options: Reversed) =>
    stripeEvent('refund.created', reversalObject('refund', { ...lower(options), status: 'succeeded' }));
  return {
    env: {
      ...stripeEnv(server.url),
      STRIPE_WEBHOOK_SECRETS: `old-secret, ${STRIPE.webhookSecret}`,
    },
    startedFor: (topupId) =>
      server.sessions.filter(({ client_reference_id: reference }) => reference === topupId).length,
    failNext: (how) => server.failNext(how),
    refunds: () => server.refunds.map(({ payment_intent: paymentId, amount }) => ({ paymentId, amount })),
    sign: (body, secret) => ({ 'stripe-signature': signStripe(body, secret) }),
    secretWords: /Text of Stripe|stripe|sk_test/i,
    paid(topupId, { paymentId, amount, currency }) {
      const intent = paidIntent(sessionOf(topupId), {
        id: paymentId,
        ...(amount !== undefined && { amount_received: amount }),
        ...(currency !== undefined && { currency: currency.toLowerCase() }),
      });
      return stripeEvent('payment_intent.succeeded', intent);
    },
    linkOver: (topupId) => stripeEvent('checkout.session.expired', sessionOf(topupId)),
    foreign: (paymentId) =>
      stripeEvent('payment_intent.succeeded', {
        id: paymentId,
        amount_received: 700,
        currency: 'inr',
        metadata: { topup_id: 'Invoice 12' },
      }),
    refund,
    dispute(step, options) {
      const [type, status] = disputes[step];
      return stripeEvent(type, reversalObject('dispute', { ...lower(options), status }));
    },
    malformed: (topupId) => [
      stripeEvent('payment_intent.succeeded', { id: 'pi_1', metadata: { topup_id: topupId } }),
      refund({ paymentId: 'pi_1', id: 're_1', amount: -1, currency: 'INR' }),
      refund({ paymentId: 'pi_1', id: 're_1', amount: 1.5, currency: 'INR' }),
      '[]',
    ],
    stop: () => server.stop(),
  };
}

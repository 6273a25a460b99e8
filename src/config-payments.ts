import { bool, num, str } from 'envalid';
import { paymentRoutes, spread, words } from './config-validators';

/** Settings of payments that come in (docs/operators/payments.md). */
export const PAYMENTS = {
  PAYMENT_PROVIDER: paymentRoutes({
    devDefault: 'sandbox',
    default: 'razorpay',
    desc: 'Providers of new top-ups: sandbox (credits each at once, without money), razorpay, stripe; or a list such as razorpay:INR,stripe, of which the first that takes a currency gets it',
  }),
  ALLOW_SANDBOX_PAYMENTS: bool({
    default: false,
    desc: 'Permit sandbox in PAYMENT_PROVIDER in production: credits without money',
  }),
  RAZORPAY_API_URL: str({ default: 'https://api.razorpay.com', desc: 'Origin of the API of Razorpay' }),
  RAZORPAY_KEY_ID: str({ default: '', desc: 'Key id at Razorpay; required with razorpay' }),
  RAZORPAY_KEY_SECRET: str({ default: '', desc: 'Key secret at Razorpay; required with razorpay' }),
  RAZORPAY_WEBHOOK_SECRETS: words({
    default: [],
    desc: 'Comma-separated list of webhook secrets; an event must be signed with one of them',
  }),
  STRIPE_API_URL: str({ default: 'https://api.stripe.com', desc: 'Origin of the API of Stripe' }),
  STRIPE_SECRET_KEY: str({
    default: '',
    desc: 'Secret key (sk_…) or restricted key (rk_…) at Stripe; required with stripe',
  }),
  STRIPE_WEBHOOK_SECRETS: words({
    default: [],
    desc: 'Comma-separated list of signing secrets (whsec_…) of the webhook endpoint at Stripe; an event must be signed with one of them',
  }),
  INVOICE_ISSUER: words({
    default: ['Agent Marketplace'],
    desc: 'Comma-separated letterhead lines of invoices: name, address, tax number',
  }),
  TOPUP_MIN_MINOR: num({ default: 100, desc: 'Minimum top-up, in paise, cents or pence' }),
  TOPUP_MAX_MINOR: num({ default: 10_000_000, desc: 'Maximum top-up, in paise, cents or pence' }),
  TOPUP_SPREAD_PERCENT: spread({
    default: 2,
    desc: 'How far the rate of top-ups in EUR and GBP lies below the spot rate, in percent; rupees are refused while they are worth less than this above the fixed price',
  }),
};

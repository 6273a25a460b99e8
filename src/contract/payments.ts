import { Type, type TLiteral } from '@sinclair/typebox';
import {
  PAYMENT_DECISIONS,
  PAYMENT_STATES,
  QUARANTINE_REASONS,
  REPORTING_PROVIDERS,
  REVERSAL_KINDS,
  REVERSAL_STATES,
} from '../domain/billing/payment';
import { Credits, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const tag = 'Payments';
const PaymentId = text({ minLength: 1, maxLength: 100, pattern: '^[\\x21-\\x7e]+$' });
const params = strictObject({ payment_id: PaymentId });
const State = named('PaymentState', oneOf(PAYMENT_STATES));

const Provider = named('PaymentProviderName', oneOf(REPORTING_PROVIDERS));

function oneOf<const T extends string>(values: readonly T[]) {
  return Type.Union(values.map((value) => Type.Literal(value)) as unknown as [TLiteral<T>]);
}

export const Payment = named(
  'Payment',
  strictObject({
    payment_id: Type.String({
      examples: ['pay_FOGsH8uHkF2FbR', 'pi_3MtwBwLkdIwHu7ix28a3tqPa'],
      description: "The provider's id of the payment",
    }),
    provider: Provider,
    state: State,
    quarantine_reason: Nullable(oneOf(QUARANTINE_REASONS)),
    amount_minor: Type.Integer({ description: 'The amount paid' }),
    currency: Type.String(),
    expected_minor: Nullable(Type.Integer({ description: 'The amount of the top-up' })),
    reference: Nullable(Type.String({ description: 'The reference that the provider reports' })),
    topup_id: Nullable(Type.String()),
    user_id: Nullable(Type.String({ description: "The top-up's owner" })),
    credited_topup_id: Nullable(Type.String({ description: 'The top-up that credited the payment' })),
    received_at: Timestamp,
    resolved_at: Nullable(Timestamp),
  }),
);

const Reversal = named(
  'PaymentReversal',
  strictObject({
    reversal_id: Type.String({ examples: ['rfnd_FP8QHiV938haTz', 'disp_EsIAlDcoUr8CaQ'] }),
    provider: Provider,
    kind: oneOf(REVERSAL_KINDS),
    state: oneOf(REVERSAL_STATES),
    payment_id: Type.String(),
    amount_minor: Type.Integer(),
    currency: Type.String(),
    user_id: Nullable(Type.String({ description: 'The account whose credits were taken back' })),
    reversed_credits: Credits,
    owed_credits: Credits,
    received_at: Timestamp,
    taken_at: Nullable(Timestamp),
  }),
);

const example = {
  payment_id: 'pay_FOGsH8uHkF2FbR',
  provider: 'razorpay',
  state: 'resolved_credited',
  quarantine_reason: 'amount_mismatch',
  amount_minor: 40_000,
  currency: 'INR',
  expected_minor: 50_000,
  reference: 'top_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  topup_id: 'top_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  user_id: 'usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  credited_topup_id: 'top_0190b5c3a2b87c0e8a1b2c3d4e5f6a7b',
  received_at: '2026-11-02T00:00:00.000Z',
  resolved_at: '2026-11-02T01:00:00.000Z',
};

export const razorpayWebhook = defineOperation({
  id: 'razorpayWebhook',
  method: 'post',
  path: '/v1/payments/razorpay/webhook',
  tag,
  summary: 'Receive payment events from Razorpay',
  description:
    'Events are authenticated by a signature over the raw body. A payment credits its top-up once, even ' +
    'when several events report it. A payment that does not match its top-up is quarantined for an ' +
    'operator. `refund.processed` and `payment.dispute.lost` take the credits back: from the wallet, and what it ' +
    'lacks becomes a debt that freezes the wallet until top-ups have paid it. Accepted events are always answered with 200.',
  auth: 'public',
  rawBody: true,
  headers: strictObject({
    'X-Razorpay-Signature': Type.String({ description: 'HMAC-SHA256 of the body, hexadecimal' }),
    'X-Razorpay-Event-Id': Type.Optional(Type.String()),
  }),
  responses: { 200: strictObject({ received: Type.Literal(true) }) },
  errors: ['invalid_credentials', 'malformed_json', 'validation_failed', 'payload_too_large'],
  examples: { response: { received: true } },
});

export const stripeWebhook = defineOperation({
  id: 'stripeWebhook',
  method: 'post',
  path: '/v1/payments/stripe/webhook',
  tag,
  summary: 'Receive payment events from Stripe',
  description:
    'Events are authenticated by a signature over the raw body, at most five minutes old. `payment_intent.succeeded` credits ' +
    'the top-up in its metadata once. A payment that does not match its top-up is quarantined for an operator; payments and ' +
    'events of other systems are only recorded. Refunds and `charge.dispute.funds_withdrawn` take the credits back, as for ' +
    'Razorpay. Accepted events are always answered with 200.',
  auth: 'public',
  rawBody: true,
  headers: strictObject({
    'Stripe-Signature': Type.String({ description: 'Time and HMAC-SHA256 of the body: `t=…,v1=…`' }),
  }),
  responses: { 200: strictObject({ received: Type.Literal(true) }) },
  errors: ['invalid_credentials', 'malformed_json', 'validation_failed', 'payload_too_large'],
  examples: { response: { received: true } },
});

export const listOperatorPayments = defineOperation({
  id: 'listOperatorPayments',
  method: 'get',
  path: '/v1/operator/payments',
  tag,
  summary: 'List payments, newest first',
  description: 'Without `state`, lists quarantined payments.',
  auth: 'session',
  roles: ['operator'],
  query: strictObject({ ...pageQuery, state: Type.Optional(State) }),
  responses: { 200: page(Payment) },
});

export const listOperatorReversals = defineOperation({
  id: 'listOperatorReversals',
  method: 'get',
  path: '/v1/operator/reversals',
  tag,
  summary: 'List refunds and chargebacks of payments, newest first',
  description:
    '`open`: an undecided dispute. `waiting`: the payment is not credited yet. `taken`: the credits were taken ' +
    'back. `closed`: the dispute cost nothing. `returned`: the dispute was won; what it had taken was given back. ' +
    'With `owed=true`, lists those with a debt that is not paid yet.',
  auth: 'session',
  roles: ['operator'],
  query: strictObject({ ...pageQuery, owed: Type.Optional(oneOf(['true', 'false'])) }),
  responses: { 200: page(Reversal) },
});

export const getOperatorPayment = defineOperation({
  id: 'getOperatorPayment',
  method: 'get',
  path: '/v1/operator/payments/{payment_id}',
  tag,
  summary: 'Get any payment',
  auth: 'session',
  roles: ['operator'],
  params,
  responses: { 200: Payment },
  errors: ['not_found'],
  examples: { response: example },
});

export const resolveOperatorPayment = defineOperation({
  id: 'resolveOperatorPayment',
  method: 'post',
  path: '/v1/operator/payments/{payment_id}/resolve',
  tag,
  summary: 'Resolve a quarantined payment',
  description:
    '`credit`: the amount paid is credited to `user_id`, by default to the owner of the top-up that the ' +
    'payment names. `return`: the payment was refunded at the provider, and nothing is credited. Both ' +
    'close the top-up that the payment did not match.',
  auth: 'session',
  roles: ['operator'],
  params,
  body: strictObject({
    decision: oneOf(PAYMENT_DECISIONS),
    reason: text({ minLength: 1, maxLength: 4_000, pattern: '\\S' }),
    user_id: Type.Optional(text({ maxLength: 36, pattern: '^(usr|org)_[0-9a-f]{32}$' })),
  }),
  responses: { 200: Payment },
  errors: ['not_found', 'invalid_state'],
  examples: {
    request: { decision: 'credit', reason: 'The bank deducted its fee; the buyer agrees to less.' },
    response: example,
  },
});

export const refundOperatorPayment = defineOperation({
  id: 'refundOperatorPayment',
  method: 'post',
  path: '/v1/operator/payments/{payment_id}/refund',
  tag,
  summary: 'Refund a payment, or a part of it, at its provider',
  description:
    'The provider sends the money back and reports the refund by an event, which then takes the credits of it. With an ' +
    '`Idempotency-Key`, a repeated request refunds once. The key at the provider needs the permission to refund.',
  auth: 'session',
  roles: ['operator'],
  params,
  headers: strictObject({ 'Idempotency-Key': Type.Optional(text({ minLength: 1, maxLength: 255 })) }),
  body: strictObject({
    amount_minor: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Default: all of the payment',
      }),
    ),
    reason: text({ minLength: 1, maxLength: 4_000, pattern: '\\S' }),
  }),
  responses: { 200: Payment },
  errors: ['not_found', 'invalid_state', 'not_ready', 'invalid_header'],
  examples: {
    request: { amount_minor: 10_000, reason: 'The buyer paid too much.' },
    response: example,
  },
});

export const paymentOperations = [
  razorpayWebhook,
  stripeWebhook,
  listOperatorPayments,
  listOperatorReversals,
  getOperatorPayment,
  resolveOperatorPayment,
  refundOperatorPayment,
];

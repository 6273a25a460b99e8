import { Type, type TLiteral } from '@sinclair/typebox';
import { PAYMENT_DECISIONS, PAYMENT_STATES, QUARANTINE_REASONS } from '../domain/billing/payment';
import { Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const tag = 'Payments';
const PaymentId = text({ minLength: 1, maxLength: 100, pattern: '^[\\x21-\\x7e]+$' });
const params = strictObject({ payment_id: PaymentId });
const State = oneOf(PAYMENT_STATES);

function oneOf<const T extends string>(values: readonly T[]) {
  return Type.Union(values.map((value) => Type.Literal(value)) as unknown as [TLiteral<T>]);
}

export const Payment = strictObject({
  payment_id: Type.String({ examples: ['pay_FOGsH8uHkF2FbR'], description: "The provider's" }),
  provider: Type.Literal('razorpay'),
  state: State,
  quarantine_reason: Nullable(oneOf(QUARANTINE_REASONS)),
  amount_minor: Type.Integer({ description: 'What was paid' }),
  currency: Type.String(),
  expected_minor: Nullable(Type.Integer({ description: 'What the top-up is over' })),
  reference: Nullable(Type.String({ description: 'What the provider says it is for' })),
  topup_id: Nullable(Type.String()),
  user_id: Nullable(Type.String({ description: 'Whose top-up it is' })),
  credited_topup_id: Nullable(Type.String({ description: 'The top-up that the money became' })),
  received_at: Timestamp,
  resolved_at: Nullable(Timestamp),
});

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
  summary: 'Where the payment provider tells of payments',
  description:
    'Believed by its signature over the raw body. A payment credits its top-up once, however often and in however ' +
    'many events it is told; one that does not fit its top-up waits for an operator. Always 200 for what was taken in.',
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

export const listOperatorPayments = defineOperation({
  id: 'listOperatorPayments',
  method: 'get',
  path: '/v1/operator/payments',
  tag,
  summary: 'Payments that wait for a decision, newest first',
  description: 'Without `state`: the quarantined ones.',
  auth: 'session',
  roles: ['operator'],
  query: strictObject({ ...pageQuery, state: Type.Optional(State) }),
  responses: { 200: page(Payment) },
});

export const getOperatorPayment = defineOperation({
  id: 'getOperatorPayment',
  method: 'get',
  path: '/v1/operator/payments/{payment_id}',
  tag,
  summary: 'Read any payment',
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
  summary: 'Decide about a quarantined payment',
  description:
    '`credit`: what was paid becomes a top-up of `user_id`, by default of whose top-up it names. `return`: it was ' +
    'given back at the provider; nothing is credited. Either way the top-up that it did not fit is over.',
  auth: 'session',
  roles: ['operator'],
  params,
  body: strictObject({
    decision: oneOf(PAYMENT_DECISIONS),
    reason: text({ minLength: 1, maxLength: 4_000, pattern: '\\S' }),
    user_id: Type.Optional(text({ maxLength: 36, pattern: '^usr_[0-9a-f]{32}$' })),
  }),
  responses: { 200: Payment },
  errors: ['not_found', 'invalid_state'],
  examples: {
    request: { decision: 'credit', reason: 'The bank deducted its fee; the buyer agrees to less.' },
    response: example,
  },
});

export const paymentOperations = [
  razorpayWebhook,
  listOperatorPayments,
  getOperatorPayment,
  resolveOperatorPayment,
];

import { Type, type TLiteral } from '@sinclair/typebox';
import {
  AUTO_TOPUP_STOPS,
  monthProblems,
  MOST_AUTO_CREDITS,
  MOST_AUTO_PER_DAY,
} from '../domain/billing/auto-topup';
import { PROVIDERS } from '../domain/billing/payment';
import { Credits, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const tag = 'Billing';
const auth = { scope: 'billing:read' } as const;
const MethodId = text({ maxLength: 36, pattern: '^svm_[0-9a-f]{32}$' });

const oneOf = <const T extends string>(values: readonly T[], description: string) =>
  Type.Union(values.map((value) => Type.Literal(value)) as unknown as [TLiteral<T>], { description });

const WholeCredits = (description: string) =>
  Type.Integer({ minimum: 1, maximum: MOST_AUTO_CREDITS, description });

const PaymentMethod = named(
  'SavedPaymentMethod',
  strictObject({
    method_id: Type.String({ examples: ['svm_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
    provider: oneOf(PROVIDERS, 'Where the method is saved'),
    label: Type.String({ examples: ['visa •••• 4242'] }),
    currency: Type.String({
      description: 'The currency in which it pays: that of the payment that saved it',
    }),
    created_at: Timestamp,
  }),
);

const AutoTopup = named(
  'AutoTopup',
  strictObject({
    status: oneOf(
      ['off', 'on', 'stopped'],
      'stopped: three top-ups failed one after the other, or the payment method has ended. Setting it anew starts it again',
    ),
    stopped_for: Nullable(oneOf(AUTO_TOPUP_STOPS, 'Why it stopped')),
    below_credits: Nullable(Credits),
    buy_credits: Nullable(Credits),
    max_per_day: Nullable(Type.Integer()),
    max_per_month: Nullable(
      Type.Number({ description: 'Most credits that automatic top-ups buy in a month' }),
    ),
    method: Nullable(PaymentMethod),
    failed_in_a_row: Type.Integer({
      description: 'Automatic top-ups that failed since the last that succeeded',
    }),
    topups_today: Type.Integer(),
    credits_this_month: Credits,
    time_zone: Nullable(Type.String({ description: 'In which days and months begin', examples: ['UTC'] })),
  }),
);

const methodExample = {
  method_id: 'svm_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  provider: 'stripe' as const,
  label: 'visa •••• 4242',
  currency: 'USD',
  created_at: '2026-11-02T00:00:00.000Z',
};
const example = {
  status: 'on' as const,
  stopped_for: null,
  below_credits: 200,
  buy_credits: 1_000,
  max_per_day: 2,
  max_per_month: 5_000,
  method: methodExample,
  failed_in_a_row: 0,
  topups_today: 1,
  credits_this_month: 3_000,
  time_zone: 'UTC',
};

export const listPaymentMethods = defineOperation({
  id: 'listPaymentMethods',
  method: 'get',
  path: '/v1/billing/payment-methods',
  tag,
  summary: 'List your saved payment methods, newest first',
  description:
    'A method is saved by a top-up with `save_method`. The payment provider keeps it; the service has no card data.',
  auth,
  query: strictObject(pageQuery),
  responses: { 200: page(PaymentMethod) },
  examples: { response: { items: [methodExample], next_cursor: null, total: 1 } },
});

export const deletePaymentMethod = defineOperation({
  id: 'deletePaymentMethod',
  permission: 'money',
  method: 'delete',
  path: '/v1/billing/payment-methods/{method_id}',
  tag,
  summary: 'Delete a saved payment method',
  description: 'Automatic top-ups with it are turned off.',
  auth: 'session',
  params: strictObject({ method_id: MethodId }),
  responses: { 204: null },
  errors: ['not_found'],
});

export const getAutoTopup = defineOperation({
  id: 'getAutoTopup',
  method: 'get',
  path: '/v1/billing/auto-topup',
  tag,
  summary: 'Get your automatic top-ups',
  auth,
  responses: { 200: AutoTopup },
  examples: { response: example },
});

export const setAutoTopup = defineOperation({
  id: 'setAutoTopup',
  permission: 'money',
  method: 'put',
  path: '/v1/billing/auto-topup',
  tag,
  summary: 'Set automatic top-ups with a saved payment method',
  description:
    'When the wallet holds fewer than `below_credits`, `buy_credits` are bought, at most `max_per_day` times a day and ' +
    '`max_per_month` credits a month. A failed one is an event (`topup.failed`), a notice and a mail, and the next follows an hour ' +
    'later; after three, they stop until they are set anew.',
  auth: 'session',
  body: strictObject({
    below_credits: WholeCredits('Top up when the wallet holds fewer'),
    buy_credits: WholeCredits('Credits of each top-up, or a few more where the rate is not even'),
    max_per_day: Type.Integer({
      minimum: 1,
      maximum: MOST_AUTO_PER_DAY,
      description: 'Most automatic top-ups a day',
    }),
    max_per_month: WholeCredits('Most credits that automatic top-ups buy in a month; at least `buy_credits`'),
    method_id: Type.Optional(MethodId),
  }),
  laterProblems: ({ buy_credits: buy, max_per_month: most }) =>
    typeof buy === 'number' && typeof most === 'number' ? monthProblems(buy, most) : [],
  responses: { 200: AutoTopup },
  errors: ['invalid_state', 'not_found'],
  examples: {
    request: { below_credits: 200, buy_credits: 1_000, max_per_day: 2, max_per_month: 5_000 },
    response: example,
  },
});

export const deleteAutoTopup = defineOperation({
  id: 'deleteAutoTopup',
  permission: 'money',
  method: 'delete',
  path: '/v1/billing/auto-topup',
  tag,
  summary: 'Turn automatic top-ups off',
  description: 'A payment that is on its way arrives all the same.',
  auth: 'session',
  responses: { 204: null },
});

export const autoTopupOperations = [
  listPaymentMethods,
  deletePaymentMethod,
  getAutoTopup,
  setAutoTopup,
  deleteAutoTopup,
];

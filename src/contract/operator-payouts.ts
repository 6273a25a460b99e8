import { Type, type TLiteral } from '@sinclair/typebox';
import { Credits, Instant, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { rateProblems } from '../domain/payouts/exchange-rate';
import { defineOperation } from './operation';
import { Pair } from './exchange-rates';
import { WhyIfAny } from './operators';
import { payoutFields, PayoutId, PayoutStatusField, TaxFormView } from './payouts';
import { FILE_METHODS } from '../domain/payouts/rails';

const tag = 'Payouts';
const operators = { auth: 'session', roles: ['operator'] } as const;

const oneOf = <const T extends string>(values: readonly T[]) =>
  Type.Union(values.map((value) => Type.Literal(value)) as unknown as [TLiteral<T>]);

const UserId = text({ maxLength: 36, pattern: '^(usr|org)_[0-9a-f]{32}$' });
const Reason = text({ minLength: 1, maxLength: 500, pattern: '\\S' });
const Monday = text({
  maxLength: 10,
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
  format: 'instant',
  description: 'The Monday of the run, as a UTC day such as `2026-11-02`',
});
const payoutParams = strictObject({ payout_id: PayoutId });

const OperatorPayout = named(
  'OperatorPayout',
  strictObject({
    ...payoutFields,
    developer_user_id: Type.String(),
    developer_name: Nullable(Type.String({ description: 'In lists: the name of the developer' })),
    attempt: Type.Integer(),
    file_id: Nullable(Type.String()),
    retriable: Type.Optional(
      Type.Boolean({
        description:
          'In lists: it failed or rolled over, and no later payout of the developer has taken its amount along',
      }),
    ),
  }),
);

const WaitingTaxForm = named(
  'WaitingTaxForm',
  strictObject({ ...TaxFormView.properties, form_id: Type.String(), developer_user_id: Type.String() }),
);

export const listOperatorPayouts = defineOperation({
  id: 'listOperatorPayouts',
  method: 'get',
  path: '/v1/operator/payouts',
  tag,
  summary: 'List payouts of all developers, newest first',
  ...operators,
  query: strictObject({
    ...pageQuery,
    status: Type.Optional(PayoutStatusField),
    developer_user_id: Type.Optional(UserId),
    monday: Type.Optional(Monday),
  }),
  responses: { 200: page(OperatorPayout) },
});

const WeekGroup = named(
  'PayoutWeekGroup',
  strictObject({
    status: PayoutStatusField,
    currency: Nullable(Type.String()),
    payouts: Type.Integer(),
    credits: Credits,
    amount_minor: Nullable(Type.Integer()),
  }),
);

export const getPayoutWeek = defineOperation({
  id: 'getPayoutWeek',
  method: 'get',
  path: '/v1/operator/payout-weeks/{monday}',
  tag,
  summary: 'Get the totals of the payouts of a Monday, by state and currency',
  ...operators,
  params: strictObject({ monday: Monday }),
  responses: {
    200: named(
      'PayoutWeek',
      strictObject({
        monday: Type.String({ examples: ['2026-11-02'] }),
        mondays: Type.Array(Type.String(), { description: 'The latest Mondays with a run, newest first' }),
        groups: Type.Array(WeekGroup),
      }),
    ),
  },
});

export const settlePayout = defineOperation({
  id: 'settlePayout',
  method: 'post',
  path: '/v1/operator/payouts/{payout_id}/settle',
  tag,
  summary: 'Record the outcome of a payout at the bank',
  description:
    'paid: the payout arrived; returned: the amount is returned to the developer and becomes part of the next payout. ' +
    'A payout that is paid can still be returned, when the bank sends the money back days later: its payout method is ' +
    'then not used again until the developer sets it anew.',
  ...operators,
  params: payoutParams,
  body: strictObject({ result: oneOf(['paid', 'returned']), reason: Reason }),
  responses: { 200: OperatorPayout },
  errors: ['not_found', 'invalid_state'],
});

export const retryPayout = defineOperation({
  id: 'retryPayout',
  method: 'post',
  path: '/v1/operator/payouts/{payout_id}/retry',
  tag,
  summary: 'Retry a failed or rolled-over payout before the next Monday',
  ...operators,
  params: payoutParams,
  body: WhyIfAny,
  responses: { 202: strictObject({ period_end: Timestamp, attempt: Type.Integer() }) },
  errors: ['not_found', 'invalid_state', 'engine_unavailable'],
});

export const returnPayout = defineOperation({
  id: 'returnPayout',
  method: 'post',
  path: '/v1/operator/payouts/{payout_id}/return',
  tag,
  summary: 'Give a payout that is in no file back to its developer',
  description: 'The payout fails with the reason, and its amount becomes part of the next payout.',
  ...operators,
  params: payoutParams,
  body: strictObject({ reason: Reason }),
  responses: { 200: OperatorPayout },
  errors: ['not_found', 'invalid_state'],
});

export const getPayoutFile = defineOperation({
  id: 'getPayoutFile',
  method: 'get',
  path: '/v1/operator/payout-files/{file_id}',
  tag,
  summary: 'Download the disbursement file for the bank',
  ...operators,
  params: strictObject({
    file_id: text({ maxLength: 35, pattern: `^(${FILE_METHODS.join('|')})-[0-9]{8}-[0-9]{1,4}$` }),
  }),
  responses: { 200: { mediaType: 'application/octet-stream', description: 'NACHA, pain.001 or CSV' } },
  errors: ['not_found'],
});

export const listTaxForms = defineOperation({
  id: 'listTaxForms',
  method: 'get',
  path: '/v1/operator/tax-forms',
  tag,
  summary: 'List tax forms that wait for a review, newest first',
  ...operators,
  query: strictObject({ ...pageQuery }),
  responses: { 200: page(WaitingTaxForm) },
});

export const reviewTaxForm = defineOperation({
  id: 'reviewTaxForm',
  method: 'post',
  path: '/v1/operator/tax-forms/{user_id}/review',
  tag,
  summary: "Accept or reject a developer's latest tax form",
  ...operators,
  params: strictObject({ user_id: UserId }),
  body: strictObject({ decision: oneOf(['accepted', 'rejected']), reason: Reason }),
  responses: { 200: TaxFormView },
  errors: ['not_found', 'invalid_state'],
});

export const loadExchangeRate = defineOperation({
  id: 'loadExchangeRate',
  method: 'post',
  path: '/v1/operator/exchange-rates',
  tag,
  summary: 'Load a spot rate of the dollar to INR, EUR or GBP',
  description:
    'UPI payouts use the latest rate of the week before their Monday, less 0.5%. Top-ups in EUR and GBP use the latest rate of seven days.',
  ...operators,
  body: strictObject({
    pair: Pair,
    rate: text({ maxLength: 15, description: 'Decimal text with at most 6 decimals' }),
    observed_at: Instant('ISO 8601'),
    source: text({ minLength: 1, maxLength: 200, pattern: '\\S' }),
  }),
  laterProblems: ({ rate }) => (typeof rate === 'string' ? rateProblems(rate) : []),
  responses: { 204: null },
  errors: ['invalid_state'],
});

export const operatorPayoutOperations = [
  listOperatorPayouts,
  getPayoutWeek,
  settlePayout,
  retryPayout,
  returnPayout,
  getPayoutFile,
  listTaxForms,
  reviewTaxForm,
  loadExchangeRate,
];

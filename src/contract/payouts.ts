import { Type, type TLiteral } from '@sinclair/typebox';
import { problemsOfEntered } from '../domain/payouts/payout-method';
import { PAYOUT_STATUSES, TAX_FORM_KINDS } from '../domain/payouts/payout';
import { detailsText, PAYOUT_METHODS } from '../domain/payouts/rails';
import { TRANSFER_STATES } from '../domain/payouts/transfer';
import { TotpCode } from './account-fields';
import { Credits, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const tag = 'Payouts';
const auth = { scope: 'billing:read' } as const;
const roles = ['developer'] as const;

export const oneOf = <const T extends string>(values: readonly T[], description?: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)) as unknown as [TLiteral<T>],
    description === undefined ? {} : { description },
  );

export const PayoutId = text({ maxLength: 36, pattern: '^pay_[0-9a-f]{32}$' });
export const payoutParams = strictObject({ payout_id: PayoutId });
export const PayoutStatusField = named(
  'PayoutStatus',
  oneOf(
    PAYOUT_STATUSES,
    'reserving: your earnings are being gathered; pending: reserved; processing: in a file for the bank or in a ' +
      'transfer; returned: paid, and later sent back by the bank; failed: returned to your next payout; ' +
      'rolled_over: not paid this Monday, see `reason`',
  ),
);
export const Method = named('PayoutMethodKind', oneOf(PAYOUT_METHODS));
const Details = Type.Record(Type.String(), text({ maxLength: 200 }), { maxProperties: 10 });

export const payoutFields = {
  payout_id: PayoutId,
  status: PayoutStatusField,
  credits: Credits,
  method: Nullable(Method),
  amount_minor: Nullable(
    Type.Integer({
      description: 'Amount in the smallest unit of the currency: cents, paise, millionths of USDC',
    }),
  ),
  currency: Nullable(Type.String()),
  processing_time: Nullable(
    Type.String({
      description: 'Time from the Monday until the money arrives, by method',
      examples: ['2 to 3 business days'],
    }),
  ),
  rate: Type.Optional(
    named(
      'PayoutRate',
      strictObject({
        pair: Type.Literal('USD/INR'),
        spot: Type.String({ description: 'Decimal text' }),
        applied: Type.String({ description: 'Spot less 0.5%' }),
        observed_at: Timestamp,
      }),
    ),
  ),
  reason: Type.Optional(
    Type.String({
      description:
        'below_minimum, no_payout_method, tax_form_required, no_exchange_rate, method_unavailable, ' +
        'method_returned, run_closed; for a failed or returned payout the reason that the bank gives, or treasury_short, ' +
        'transfer_refused, transfer_expired, authorization_canceled, chain_mismatch, chain_unavailable',
    }),
  ),
  remainder_credits: Type.Number({ description: 'Rounding remainder, carried over to your next payout' }),
  pay_to: Type.Optional(
    Type.String({ description: 'The address that receives the earnings of agents with a USD price' }),
  ),
  transfer: Type.Optional(
    named(
      'PayoutTransfer',
      strictObject({
        network: Type.String({ description: 'CAIP-2 chain id', examples: ['eip155:8453'] }),
        asset: Type.String({ description: 'Address of the USDC contract' }),
        state: oneOf(
          TRANSFER_STATES,
          'pending: signed; unknown: sent, outcome being looked up on the chain; submitted: on the chain; confirmed; ' +
            'failed: expired unused, or canceled',
        ),
        transaction: Nullable(Type.String({ description: 'Transaction hash' })),
        valid_until: Timestamp,
      }),
    ),
  ),
  period_start: Timestamp,
  period_end: Timestamp,
  initiated_at: Timestamp,
  completed_at: Nullable(Timestamp),
};

export const Payout = named('Payout', strictObject(payoutFields));
export const PayoutMethodView = named(
  'PayoutMethod',
  strictObject({
    method: Method,
    processing_time: Type.String({ examples: ['2 to 3 business days'] }),
    details: Type.Record(Type.String(), Type.String(), { description: 'Masked' }),
    updated_at: Timestamp,
    returned_at: Nullable(
      Type.String({
        format: 'date-time',
        description: 'When the bank sent back a payout: nothing is paid until you set the method again',
      }),
    ),
  }),
);

export const TaxFormView = named(
  'TaxForm',
  strictObject({
    kind: oneOf(TAX_FORM_KINDS),
    status: oneOf(['submitted', 'accepted', 'rejected']),
    details: Type.Record(Type.String(), Type.String(), { description: 'Masked' }),
    submitted_at: Timestamp,
    reviewed_at: Nullable(Timestamp),
    review_reason: Nullable(Type.String()),
  }),
);

export const listPayouts = defineOperation({
  id: 'listPayouts',
  method: 'get',
  path: '/v1/billing/developer/payouts',
  tag,
  summary: 'List your payouts, newest first',
  auth,
  roles,
  query: strictObject({ ...pageQuery, status: Type.Optional(PayoutStatusField) }),
  responses: { 200: page(Payout) },
});

export const listEarnings = defineOperation({
  id: 'listEarnings',
  method: 'get',
  path: '/v1/billing/developer/earnings',
  tag,
  summary: 'List earnings that are not paid out yet, by the UTC day on which they mature',
  auth,
  roles,
  query: strictObject(pageQuery),
  responses: {
    200: page(
      strictObject({
        matures_on: Type.String({ examples: ['2026-11-05'] }),
        credits: Credits,
        earnings: Type.Integer(),
        disputed_credits: Type.Number({
          description: 'The part of `credits` that is in an undecided dispute',
        }),
      }),
    ),
  },
});

const methodExample = {
  method: 'ach',
  details: {
    account_holder_name: 'Ada Lovelace',
    routing_number: '021000021',
    account_number: '123456789',
    account_type: 'checking',
  },
};

export const putPayoutMethod = defineOperation({
  id: 'putPayoutMethod',
  permission: 'payout',
  method: 'put',
  path: '/v1/billing/developer/payout-method',
  tag,
  summary: 'Set your payout method',
  description:
    `Details by method. ${PAYOUT_METHODS.map((method) => `${method}: ${detailsText(method)}`).join('. ')}. ` +
    'Names may have accents: banks get them without. Bank codes may have spaces and lower case. The new method applies to payouts that are not reserved yet. ' +
    'The change is reported by mail. An account with an authenticator app also sends `totp_code`.',
  auth: 'session',
  roles,
  body: strictObject({ method: Method, details: Details, totp_code: Type.Optional(TotpCode) }),
  laterProblems: ({ method, details }) => problemsOfEntered(method, details),
  responses: { 200: PayoutMethodView },
  errors: ['second_factor_required', 'invalid_credentials'],
  examples: { request: methodExample },
});

export const getPayoutMethod = defineOperation({
  id: 'getPayoutMethod',
  permission: 'viewMoney',
  method: 'get',
  path: '/v1/billing/developer/payout-method',
  tag,
  summary: 'Get your payout method, masked',
  auth: 'session',
  roles,
  responses: { 200: PayoutMethodView },
  errors: ['not_found'],
});

export const putTaxForm = defineOperation({
  id: 'putTaxForm',
  permission: 'payout',
  method: 'put',
  path: '/v1/billing/developer/tax-form',
  tag,
  summary: 'Submit your tax form',
  description:
    'An operator must accept the form before the payouts of a calendar year can exceed a threshold.',
  auth: 'session',
  roles,
  body: strictObject({
    kind: oneOf(TAX_FORM_KINDS),
    legal_name: text({ minLength: 1, maxLength: 200, pattern: '\\S' }),
    country: text({ maxLength: 2, pattern: '^[A-Z]{2}$' }),
    tax_id: text({ minLength: 4, maxLength: 40, pattern: '^[A-Za-z0-9 -]+$' }),
    address: Type.Optional(
      text({
        minLength: 1,
        maxLength: 400,
        pattern: '\\S',
        description: 'Permanent residence: street, town, postal code',
      }),
    ),
    signed_by: Type.Optional(
      text({
        minLength: 1,
        maxLength: 200,
        pattern: '\\S',
        description: 'Who declares that the form is true and complete, and may sign for the legal name',
      }),
    ),
  }),
  responses: { 200: TaxFormView },
  examples: {
    request: {
      kind: 'w8ben',
      legal_name: 'Ada Lovelace',
      country: 'GB',
      tax_id: 'QQ123456C',
      address: '12 St James Square, London SW1Y 4JH',
      signed_by: 'Ada Lovelace',
    },
  },
});

export const getTaxForm = defineOperation({
  id: 'getTaxForm',
  permission: 'money',
  method: 'get',
  path: '/v1/billing/developer/tax-form',
  tag,
  summary: 'Get your tax form, masked, and its review',
  auth: 'session',
  roles,
  responses: { 200: TaxFormView },
  errors: ['not_found'],
});

export const payoutOperations = [
  listPayouts,
  listEarnings,
  putPayoutMethod,
  getPayoutMethod,
  putTaxForm,
  getTaxForm,
];

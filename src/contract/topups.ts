import { Type } from '@sinclair/typebox';
import { currencyProblems } from '../domain/billing/billing';
import { Balance, balanceExample, MinorUnits } from './billing';
import { Credits, named, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const tag = 'Billing';
const auth = { scope: 'billing:read' } as const;

/** The exchange rate of a top-up in a currency without a fixed price. */
export const TopUpExchange = named(
  'TopUpExchange',
  strictObject({
    rate: Type.String({ description: 'Spot rate: units of the currency for one US dollar, as decimal text' }),
    observed_at: Timestamp,
    spread_percent: Type.Number({ description: 'How far the applied rate lies below the spot rate' }),
  }),
);

const AmountPaise =
  'The price of the credits without tax, in minor units of the currency (paise, cents or pence)';
const MostCredits = 1_000_000_000;

export const topUp = defineOperation({
  id: 'topUp',
  permission: 'money',
  method: 'post',
  path: '/v1/billing/topup',
  tag,
  summary: 'Add credits to the wallet',
  description:
    '100 paise (INR) or 1 cent (USD) buy 1 credit. EUR and GBP are credited at the newest exchange rate to the dollar, less ' +
    'a spread; `GET /v1/billing/topup/quote` has both before the payment. With an `Idempotency-Key`, a repeated request for the ' +
    'same amount returns the original top-up with `Idempotent-Replayed: true` and adds no credits; a ' +
    'different amount is refused with 409. A tax of your country comes on top (`top_up_tax` of `GET /v1/billing/details`).',
  auth: 'session',
  headers: strictObject({ 'Idempotency-Key': Type.Optional(text({ minLength: 1, maxLength: 255 })) }),
  body: strictObject({
    amountPaise: Type.Integer({ description: AmountPaise }),
    currency: text({ minLength: 1, maxLength: 16, description: 'INR, USD, EUR or GBP' }),
    save_method: Type.Optional(
      Type.Boolean({ description: 'Save the payment method at the provider, for automatic top-ups' }),
    ),
    min_credits: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: MostCredits,
        description:
          'Refuse the top-up with 409 if the exchange rate gives fewer credits, such as those of a quote',
      }),
    ),
  }),
  laterProblems: ({ currency }) => (typeof currency === 'string' ? currencyProblems(currency) : []),
  responses: {
    201: strictObject({
      topup_id: Type.String(),
      status: Type.Union([Type.Literal('succeeded'), Type.Literal('pending'), Type.Literal('failed')]),
      credits: Credits,
      amount_minor: MinorUnits,
      tax_minor: Type.Optional(
        Type.Integer({
          description: 'The part of amount_minor that is tax; left out while no taxes are set',
        }),
      ),
      currency: Type.String(),
      exchange: Type.Optional(TopUpExchange),
      payment_url: Type.Optional(Type.String()),
      invoice_id: Type.Optional(Type.String()),
      balance: Balance,
    }),
  },
  errors: ['unsupported_currency', 'idempotency_key_reused', 'invalid_state', 'invalid_header'],
  examples: {
    request: { amountPaise: 50_000, currency: 'INR' },
    response: {
      topup_id: 'top_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      status: 'succeeded',
      credits: 500,
      amount_minor: 50_000,
      currency: 'INR',
      invoice_id: 'ivc_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      balance: balanceExample,
    },
  },
});

const TopUpQuote = named(
  'TopUpQuote',
  strictObject({
    amount_minor: MinorUnits,
    currency: Type.String(),
    credits: Credits,
    exchange: Type.Union([TopUpExchange, Type.Null()], {
      description: 'Null for a fixed price (INR and USD)',
    }),
    saves_methods: Type.Boolean({ description: 'Whether `save_method` is possible in this currency' }),
  }),
);

export const getTopUpQuote = defineOperation({
  id: 'getTopUpQuote',
  permission: 'view',
  method: 'get',
  path: '/v1/billing/topup/quote',
  tag,
  summary: 'Get what an amount of money would buy now',
  description:
    'Nothing is reserved: a top-up is credited at the newest rate; its `min_credits` refuses a worse one.',
  auth,
  query: strictObject({
    amountPaise: Type.Integer({ description: AmountPaise }),
    currency: text({ minLength: 1, maxLength: 16, description: 'INR, USD, EUR or GBP' }),
  }),
  laterQueryProblems: ({ currency }) =>
    typeof currency === 'string' ? currencyProblems(currency, 'query') : [],
  responses: { 200: TopUpQuote },
  errors: ['unsupported_currency'],
  examples: {
    response: {
      amount_minor: 10_000,
      currency: 'EUR',
      credits: 10_652.17,
      exchange: { rate: '0.920000', observed_at: '2026-11-02T13:15:00.000Z', spread_percent: 2 },
      saves_methods: true,
    },
  },
});

export const topupOperations = [topUp, getTopUpQuote];

import { Type } from '@sinclair/typebox';
import { named, Nullable, strictObject } from './common';
import { defineOperation } from './operation';
import { Method } from './payouts';
import { TopUpExchange } from './topups';

const PayoutTerms = named(
  'PayoutTerms',
  strictObject({
    method: Method,
    currency: Type.String({ examples: ['USD'] }),
    minimum_credits: Type.Integer({ description: 'Smallest payout; less waits for the next Monday' }),
    fee_credits: Type.Integer({ description: 'What the marketplace takes of each payout' }),
    conversion_percent: Type.Number({
      description:
        'What the exchange rate of a payout lies below the spot rate; 0 for payouts in US dollars and USDC',
    }),
    processing_time: Type.String({ examples: ['2 to 3 business days'] }),
  }),
);

const Marketplace = named(
  'Marketplace',
  strictObject({
    registration_fee_credits: Type.Integer({ description: 'What a seller pays once before publishing' }),
    top_up: strictObject({
      sandbox: Type.Boolean({ description: 'Top-ups credit the wallet without a payment' }),
      minimum_minor: Type.Integer({ description: 'Smallest top-up, in paise, cents or pence' }),
      maximum_minor: Type.Integer({ description: 'Largest top-up, in paise, cents or pence' }),
      currencies: Type.Array(
        strictObject({
          currency: Type.String({ examples: ['USD'] }),
          credits_per_major: Type.Number({
            description: 'Credits for one rupee, dollar, euro or pound, now',
          }),
          exchange: Type.Union([TopUpExchange, Type.Null()], { description: 'Null for a fixed price' }),
          saves_methods: Type.Boolean({ description: 'A payment method can be saved for automatic top-ups' }),
        }),
      ),
    }),
    payout_methods: Type.Array(PayoutTerms, { description: 'The methods that sellers can be paid by here' }),
    email_confirmation_required: Type.Boolean({
      description: 'Accounts can only read until their email address is confirmed',
    }),
    public_reads: Type.Boolean({ description: 'Listings can be read without an account' }),
    demonstration: Type.Boolean({ description: 'Accounts, calls and money are made up' }),
    support_contact: Nullable(
      Type.String({ description: 'Email address or URL of the operator of this marketplace' }),
    ),
  }),
);

export const getMarketplace = defineOperation({
  id: 'getMarketplace',
  permission: 'view',
  method: 'get',
  path: '/v1/marketplace',
  tag: 'Listings',
  summary: 'Get what this marketplace costs, and whom to write to',
  description: 'What a person needs to know before paying. The console shows it.',
  auth: 'session',
  responses: { 200: Marketplace },
  examples: {
    response: {
      registration_fee_credits: 1_000,
      top_up: {
        sandbox: false,
        minimum_minor: 100,
        maximum_minor: 10_000_000,
        currencies: [
          { currency: 'INR', credits_per_major: 1, exchange: null, saves_methods: false },
          { currency: 'USD', credits_per_major: 100, exchange: null, saves_methods: true },
        ],
      },
      payout_methods: [
        {
          method: 'ach',
          currency: 'USD',
          minimum_credits: 1_000,
          fee_credits: 0,
          conversion_percent: 0,
          processing_time: '2 to 3 business days',
        },
      ],
      email_confirmation_required: true,
      public_reads: false,
      demonstration: false,
      support_contact: 'support@market.example',
    },
  },
});

export const marketplaceOperations = [getMarketplace];

import { Type } from '@sinclair/typebox';
import { Credits, named, Nullable, strictObject, Timestamp } from './common';
import { defineOperation } from './operation';

const Marketplace = named(
  'Marketplace',
  strictObject({
    registration_fee_credits: Type.Integer({ description: 'What a seller pays once before publishing' }),
    top_up: strictObject({
      sandbox: Type.Boolean({ description: 'Top-ups credit the wallet without a payment' }),
      minimum_minor: Type.Integer({ description: 'Smallest top-up, in paise or cents' }),
      maximum_minor: Type.Integer({ description: 'Largest top-up, in paise or cents' }),
      currencies: Type.Array(
        strictObject({
          currency: Type.String({ examples: ['USD'] }),
          credits_per_major: Type.Number({ description: 'Credits for one rupee or one dollar' }),
        }),
      ),
    }),
    email_confirmation_required: Type.Boolean({
      description: 'Accounts can only read until their email address is confirmed',
    }),
    public_reads: Type.Boolean({ description: 'Listings can be read without an account' }),
    support_contact: Nullable(
      Type.String({ description: 'Email address or URL of the operator of this marketplace' }),
    ),
  }),
);

export const getMarketplace = defineOperation({
  id: 'getMarketplace',
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
          { currency: 'INR', credits_per_major: 1 },
          { currency: 'USD', credits_per_major: 100 },
        ],
      },
      email_confirmation_required: true,
      public_reads: false,
      support_contact: 'support@market.example',
    },
  },
});

/** Why a wallet takes part in no call and no withdrawal. */
export const WalletFreeze = named(
  'WalletFreeze',
  strictObject({
    since: Timestamp,
    cause: Type.Union([Type.Literal('operator'), Type.Literal('debt')], {
      description: '`debt`: a payment was taken back; the freeze ends when top-ups have paid what is owed',
    }),
    owed_credits: Credits,
  }),
);

export const marketplaceOperations = [getMarketplace];

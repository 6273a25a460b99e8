import { Type } from '@sinclair/typebox';
import { Credits, named, Nullable, page, pageQuery, strictObject, Timestamp } from './common';
import { Key } from './keys';
import { defineOperation } from './operation';
import { UserId, Why } from './operators';

const tag = 'Operators';
const operators = { auth: 'session', roles: ['operator'] } as const;
const params = strictObject({ user_id: UserId });
const errors = ['not_found', 'invalid_state'] as const;
const Role = Type.Union([Type.Literal('buyer'), Type.Literal('developer'), Type.Literal('operator')]);

const facts = {
  user_id: Type.String(),
  email: Type.String(),
  display_name: Type.String(),
  developer_id: Nullable(Type.String({ examples: ['dev_ada-lovelace'] })),
  role: Role,
  email_confirmed: Type.Boolean(),
  wallet_frozen: Type.Boolean(),
  created_at: Timestamp,
};

const AccountRow = named('AccountInList', strictObject(facts));

const Account = named(
  'Wallet',
  strictObject({
    ...facts,
    second_factor: Type.Boolean({ description: 'The account has an authenticator app' }),
    frozen_since: Nullable(Timestamp),
    debt_credits: Type.Number({
      description:
        'Owed for refunded or charged back payments. Top-ups pay it first; until then the wallet is frozen.',
    }),
    balances: strictObject(
      {
        wallet_credits: Credits,
        escrow_credits: Credits,
        payable_credits: Credits,
        bond_credits: Credits,
        slash_hold_credits: Credits,
      },
      { description: 'What the account has: to spend, held for calls, earned, as bond, and slashed for now' },
    ),
  }),
);

const request = { reason: 'Reported by three buyers; under investigation.' };
const account = {
  user_id: 'usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  email: 'ada@example.org',
  display_name: 'Ada Lovelace',
  developer_id: null,
  role: 'buyer',
  email_confirmed: true,
  second_factor: false,
  wallet_frozen: true,
  created_at: '2026-11-01T00:00:00.000Z',
  frozen_since: '2026-11-02T00:00:00.000Z',
  debt_credits: 0,
  balances: {
    wallet_credits: 40,
    escrow_credits: 0,
    payable_credits: 0,
    bond_credits: 0,
    slash_hold_credits: 0,
  },
};

export const listOperatorAccounts = defineOperation({
  id: 'listOperatorAccounts',
  method: 'get',
  path: '/v1/operator/accounts',
  tag,
  summary: 'List accounts, newest first',
  ...operators,
  query: strictObject({
    ...pageQuery,
    role: Type.Optional(Role),
    frozen: Type.Optional(Type.Literal('true', { description: 'Only accounts whose wallet is frozen' })),
  }),
  responses: { 200: page(AccountRow) },
});

export const getOperatorAccount = defineOperation({
  id: 'getOperatorAccount',
  method: 'get',
  path: '/v1/operator/accounts/{user_id}',
  tag,
  summary: 'Get an account, what it has, and the state of its wallet',
  ...operators,
  params,
  responses: { 200: Account },
  errors: ['not_found'],
  examples: { response: account },
});

export const listAccountKeys = defineOperation({
  id: 'listAccountKeys',
  method: 'get',
  path: '/v1/operator/accounts/{user_id}/keys',
  tag,
  summary: 'List the API keys of an account, newest first, without their secrets',
  ...operators,
  params,
  query: strictObject({ ...pageQuery }),
  responses: { 200: page(Key) },
  errors: ['not_found'],
});

export const freezeWallet = defineOperation({
  id: 'freezeWallet',
  method: 'post',
  path: '/v1/operator/accounts/{user_id}/freeze',
  tag,
  summary: 'Freeze a wallet',
  description:
    'A frozen wallet pays for no new calls, and nothing can be withdrawn from the account. It can still receive credits.',
  ...operators,
  params,
  body: Why,
  responses: { 200: Account },
  errors,
  examples: { request, response: account },
});

export const unfreezeWallet = defineOperation({
  id: 'unfreezeWallet',
  method: 'post',
  path: '/v1/operator/accounts/{user_id}/unfreeze',
  tag,
  summary: 'Unfreeze a wallet',
  ...operators,
  params,
  body: Why,
  responses: { 200: Account },
  errors,
  examples: { request, response: { ...account, wallet_frozen: false, frozen_since: null } },
});

export const grantOperator = defineOperation({
  id: 'grantOperator',
  method: 'post',
  path: '/v1/operator/accounts/{user_id}/grant',
  tag,
  summary: 'Make an account an operator',
  description:
    'The account must have confirmed its address and must not sell agents: an account has one role. The first ' +
    'operator is made by `market operator grant` on the database.',
  ...operators,
  params,
  body: Why,
  responses: { 200: Account },
  errors,
  examples: {
    request: { reason: 'Joins the support team.' },
    response: { ...account, role: 'operator', wallet_frozen: false, frozen_since: null },
  },
});

export const revokeOperator = defineOperation({
  id: 'revokeOperator',
  method: 'post',
  path: '/v1/operator/accounts/{user_id}/revoke',
  tag,
  summary: 'Make an operator an ordinary account again',
  description: 'Applies to the next request of the account. No operator can revoke the own account.',
  ...operators,
  params,
  body: Why,
  responses: { 200: Account },
  errors,
  examples: { request: { reason: 'Left the support team.' }, response: account },
});

export const removeLostAuthenticator = defineOperation({
  id: 'removeLostAuthenticator',
  method: 'post',
  path: '/v1/operator/accounts/{user_id}/remove-authenticator',
  tag,
  summary: 'Remove the authenticator app of a person who lost it',
  description:
    'For a person who lost the app and the recovery codes, such as the only owner of an organisation that requires a second ' +
    'factor. Identify the person first. All sessions of the account end, and a mail reports it; the password stays. No ' +
    'operator can remove the own app in this way.',
  ...operators,
  params,
  body: Why,
  responses: { 200: Account },
  errors,
  examples: { request: { reason: 'Lost phone; identified by a video call.' }, response: account },
});

/** Accounts as operators see them. */
export const operatorAccountOperations = [
  listOperatorAccounts,
  getOperatorAccount,
  listAccountKeys,
  freezeWallet,
  unfreezeWallet,
  grantOperator,
  revokeOperator,
  removeLostAuthenticator,
];

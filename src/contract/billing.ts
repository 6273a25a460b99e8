import { Type, type TLiteral } from '@sinclair/typebox';
import { DEVELOPER_ENTRY_TYPES, WALLET_ENTRY_TYPES } from '../domain/ledger/ledger';
import { Credits, Instant, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { JobHold } from './job-holds';
import { WalletFreeze } from './wallet-freeze';
import { defineOperation } from './operation';
import { MemberBudget } from './organisation-members';

const tag = 'Billing';
const auth = { scope: 'billing:read' } as const;

const oneOf = <const T extends string>(values: readonly T[]) =>
  Type.Union(values.map((value) => Type.Literal(value)) as unknown as [TLiteral<T>]);

export const MinorUnits = Type.Integer({
  description: 'What is paid, in paise, cents or pence, with the tax if there is one',
});

export const Balance = named(
  'Balance',
  strictObject({
    available_credits: Credits,
    escrow_credits: Type.Number({ description: 'Held for calls in progress' }),
    usd_equivalent: Type.Number({ description: 'available_credits at USD 0.01 each' }),
    held_for_jobs: Type.Array(JobHold, {
      description: 'The part of escrow_credits that waits with jobs, the oldest first, at most a hundred',
    }),
    member_budget: Type.Optional(MemberBudget),
    wallet_frozen: Type.Optional(WalletFreeze),
    updated_at: Timestamp,
  }),
);

export const balanceExample = {
  available_credits: 492.5,
  escrow_credits: 5,
  usd_equivalent: 4.925,
  held_for_jobs: [
    {
      invocation_id: 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      agent_id: 'agt_market_research_v1',
      credits: 5,
      held_at: '2026-11-02T00:00:00.000Z',
      ends_at: '2026-11-02T00:40:00.000Z',
      waits_for: 'agent' as const,
    },
  ],
  updated_at: '2026-11-02T00:00:00.000Z',
};

const lineFields = {
  transaction_id: Type.String({ examples: ['txn_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
  credits: Type.Number({ description: 'Positive for a credit, negative for a debit; at most 2 decimals' }),
  balance_after_credits: Credits,
  invocation_id: Type.Optional(Type.String()),
  agent_id: Type.Optional(Type.String()),
  description: Type.String(),
  created_at: Timestamp,
};

export const LedgerItem = named(
  'LedgerItem',
  strictObject({ ...lineFields, entry_type: oneOf(WALLET_ENTRY_TYPES) }),
);

export const DeveloperTransaction = named(
  'DeveloperTransaction',
  strictObject({
    ...lineFields,
    entry_type: oneOf(DEVELOPER_ENTRY_TYPES),
    account: oneOf(['payable', 'bond']),
    reserve: Type.Optional(
      strictObject(
        { reason: Type.Literal('never_paid'), matures_at: Timestamp },
        {
          description:
            'Why the earning matures later than at the end of its dispute window: the buyer was new, and no payout of yours ' +
            'had arrived',
        },
      ),
    ),
  }),
);

export const getBalance = defineOperation({
  id: 'getBalance',
  permission: 'view',
  method: 'get',
  path: '/v1/billing/balance',
  tag,
  summary: 'Get the current credit balance',
  description:
    'That of the owner for whom the request acts. `member_budget` is what the member who acts may spend of it, if the ' +
    'organisation has set a budget. `wallet_frozen` says since when and why the wallet of an organisation pays for nothing; ' +
    'that of an account of your own is in `GET /v1/auth/security`.',
  auth,
  responses: { 200: Balance },
  examples: { response: balanceExample },
});

const linesQuery = {
  ...pageQuery,
  since: Type.Optional(Instant('ISO 8601, inclusive')),
  until: Type.Optional(Instant('ISO 8601, exclusive')),
};

export const listLedger = defineOperation({
  id: 'listLedger',
  method: 'get',
  path: '/v1/billing/ledger',
  tag,
  summary: 'List every credit and debit of the wallet, newest first',
  description:
    'A successful call has three entries: the hold (−), its release (+) when the call ends, and the charge ' +
    '(−). A failed call has two: the hold (−) and the refund (+). The credits of all entries add up to the ' +
    'available balance.',
  auth,
  query: strictObject({
    ...linesQuery,
    entry_type: Type.Optional(oneOf(WALLET_ENTRY_TYPES)),
    view: Type.Optional(
      Type.Unsafe<'all' | 'net'>({
        type: 'string',
        enum: ['all', 'net'],
        default: 'all',
        description:
          '`net`: without the holds of calls, their releases and the refunds of failed calls, so that a call has one line',
      }),
    ),
    invocation_id: Type.Optional(
      text({ maxLength: 40, pattern: '^inv_[0-9a-f]{32}$', description: 'Only the lines of this call' }),
    ),
  }),
  responses: { 200: page(LedgerItem) },
});

export const payRegistration = defineOperation({
  id: 'payRegistration',
  permission: 'money',
  method: 'post',
  path: '/v1/users/pay-registration',
  tag,
  summary: 'Pay the one-time developer registration fee from the wallet',
  description:
    'The fee is 1000 credits, paid once for any number of agents. Repeated requests charge nothing.',
  auth: 'session',
  roles: ['developer'],
  responses: {
    200: strictObject({
      registration_paid: Type.Literal(true),
      charged_credits: Credits,
      balance_credits: Credits,
    }),
  },
  errors: ['insufficient_credits'],
  examples: { response: { registration_paid: true, charged_credits: 1000, balance_credits: 250 } },
});

export const getDeveloperBalance = defineOperation({
  id: 'getDeveloperBalance',
  method: 'get',
  path: '/v1/billing/developer/balance',
  tag,
  summary: 'Get earnings and the payable balance',
  auth,
  roles: ['developer'],
  responses: {
    200: strictObject({
      available_credits: Type.Number({ description: 'Balance of the wallet' }),
      pending_payout_credits: Type.Number({ description: 'Earnings that are not yet part of a payout' }),
      matured_credits: Type.Number({
        description: 'The part of pending_payout_credits whose dispute window has closed',
      }),
      bond_credits: Credits,
      lifetime_earned_credits: Type.Number({
        description: 'Net of the platform fee and of amounts returned in disputes',
      }),
      reserve: Type.Optional(
        strictObject(
          {
            reason: Type.Literal('never_paid'),
            buyers_younger_than_days: Type.Integer(),
            matures_after_seconds: Type.Integer(),
          },
          {
            description:
              'Why some earnings mature later than at the end of their dispute window: until the first payout has arrived, ' +
              'those from buyers whose account or first top-up is new do',
          },
        ),
      ),
      has_payout_method: Type.Boolean({ description: 'Whether a payout method is set' }),
      has_tax_form: Type.Boolean({ description: 'Whether a tax form was sent' }),
      updated_at: Nullable(Timestamp),
    }),
  },
});

export const listDeveloperTransactions = defineOperation({
  id: 'listDeveloperTransactions',
  method: 'get',
  path: '/v1/billing/developer/transactions',
  tag,
  summary: 'List payable and bond entries, newest first',
  description:
    'Entries of the payable account (`account: payable`) and of the bond. `balance_after_credits` is the ' +
    'balance of that account. Wallet entries are in the ledger.',
  auth,
  roles: ['developer'],
  query: strictObject({ ...linesQuery, entry_type: Type.Optional(oneOf(DEVELOPER_ENTRY_TYPES)) }),
  responses: { 200: page(DeveloperTransaction) },
});

export const billingOperations = [
  getBalance,
  listLedger,
  payRegistration,
  getDeveloperBalance,
  listDeveloperTransactions,
];

import { Type, type TLiteral } from '@sinclair/typebox';
import { creditsProblems } from '../domain/bonds/request-problems';
import { BOND_TIERS, WITHDRAWAL_STATUSES } from '../domain/bonds/bond';
import { DEVELOPER_NOTICE_KINDS, type DeveloperNoticeKind } from '../domain/bonds/developer-notice';
import { Credits, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const tag = 'Bonds';
const roles = ['developer'] as const;

const oneOf = <const T extends string>(values: readonly T[], description?: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)) as unknown as [TLiteral<T>],
    description === undefined ? {} : { description },
  );

const Tier = named('BondTier', oneOf(BOND_TIERS));
const AmountBody = named(
  'BondAmount',
  strictObject({
    credits: Type.Number({
      minimum: 0.01,
      maximum: 1_000_000_000,
      description: 'Greater than 0, at most 2 decimals',
    }),
  }),
);

const Withdrawal = named(
  'BondWithdrawal',
  strictObject({
    withdrawal_id: Type.String({ examples: ['bwd_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
    status: oneOf(
      WITHDRAWAL_STATUSES,
      'noticed: in the notice period; waiting: the notice period is over, but a slash is undecided; void: the bond was empty',
    ),
    credits: Credits,
    paid_credits: Nullable(Type.Number({ description: 'Amount paid to the wallet, after slashes' })),
    requested_at: Timestamp,
    due_at: Timestamp,
    completed_at: Nullable(Timestamp),
  }),
);

const Bond = named(
  'Bond',
  strictObject({
    bond_credits: Credits,
    slash_hold_credits: Type.Number({ description: 'Held by undecided slashes' }),
    tier: Type.Union([Tier, Type.Null()], {
      description:
        'The highest tier whose minimum the bond reached at the latest deposit or withdrawal. It caps the ' +
        'badges of your agents. Slashes do not change it.',
    }),
    tiers: Type.Array(strictObject({ tier: Tier, minimum_credits: Credits })),
    shortfall: Nullable(
      strictObject({
        slash_id: Type.String({ description: 'The slash that caused the shortfall' }),
        minimum_credits: Type.Number({ description: 'The amount that the bond must reach' }),
        missing_credits: Credits,
        since: Timestamp,
        top_up_by: Timestamp,
        remaining_seconds: Type.Integer({
          minimum: 0,
          description: 'For display only; the service enforces top_up_by',
        }),
        delisted: Type.Boolean({
          description: 'True when the deadline has passed and your agents are removed from search',
        }),
      }),
    ),
    withdrawals: Type.Array(Withdrawal, { description: 'Newest first' }),
  }),
);

const withdrawalExample = {
  withdrawal_id: 'bwd_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  status: 'noticed',
  credits: 500,
  paid_credits: null,
  requested_at: '2026-11-02T00:00:00.000Z',
  due_at: '2026-12-02T00:00:00.000Z',
  completed_at: null,
};

const bondExample = {
  bond_credits: 2500,
  slash_hold_credits: 0,
  tier: 'standard',
  tiers: [
    { tier: 'basic', minimum_credits: 500 },
    { tier: 'standard', minimum_credits: 2500 },
    { tier: 'premium', minimum_credits: 10000 },
  ],
  shortfall: null,
  withdrawals: [],
};

export const getBond = defineOperation({
  id: 'getBond',
  permission: 'viewMoney',
  method: 'get',
  path: '/v1/billing/developer/bond',
  tag,
  summary: 'Get your bond, with its tier, shortfall and withdrawals',
  auth: 'session',
  roles,
  responses: { 200: Bond },
  examples: { response: bondExample },
});

export const depositBond = defineOperation({
  id: 'depositBond',
  permission: 'money',
  method: 'post',
  path: '/v1/billing/developer/bond/deposit',
  tag,
  summary: 'Move credits from the wallet into the bond',
  description:
    'A bond is not a fee and earns no return. A deposit never lowers the tier. A deposit that reaches the ' +
    'minimum ends a shortfall at once and returns your agents to search. With an `Idempotency-Key`, a ' +
    'repeated request for the same amount moves no credits; a different amount is refused with 409.',
  auth: 'session',
  roles,
  headers: strictObject({ 'Idempotency-Key': Type.Optional(text({ minLength: 1, maxLength: 255 })) }),
  body: AmountBody,
  laterProblems: ({ credits }) => creditsProblems(credits),
  responses: { 201: Bond },
  errors: ['insufficient_credits', 'idempotency_key_reused', 'invalid_header'],
  examples: { request: { credits: 2500 }, response: bondExample },
});

export const withdrawBond = defineOperation({
  id: 'withdrawBond',
  permission: 'money',
  method: 'post',
  path: '/v1/billing/developer/bond/withdraw',
  tag,
  summary: 'Request a withdrawal from the bond',
  description:
    'The notice period is 30 days. While a slash is undecided, nothing is paid. Afterwards, the amount ' +
    'that remains after slashes is paid to the wallet, and the tier is determined by the remaining bond. A ' +
    'shortfall lasts until the bond reaches its minimum.',
  auth: 'session',
  roles,
  body: AmountBody,
  laterProblems: ({ credits }) => creditsProblems(credits),
  responses: { 201: Withdrawal },
  errors: ['insufficient_credits'],
  examples: { request: { credits: 500 }, response: withdrawalExample },
});

export const listDeveloperNotices = defineOperation({
  id: 'listDeveloperNotices',
  permission: 'view',
  method: 'get',
  path: '/v1/billing/developer/notices',
  tag,
  summary: 'List notices about your bond, slashes and findings, newest first',
  description:
    '`data` is the payload of the corresponding webhook event. A notice about a slash includes its ' +
    'explanation and evidence.',
  auth: { scope: 'billing:read' },
  roles,
  query: strictObject(pageQuery),
  responses: {
    200: page(
      strictObject({
        notice_id: Type.String({ examples: ['ntc_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
        code: Type.Unsafe<DeveloperNoticeKind>({ type: 'string', enum: DEVELOPER_NOTICE_KINDS }),
        message: Type.String(),
        slash_id: Nullable(Type.String()),
        agent_id: Nullable(Type.String()),
        data: Type.Record(Type.String(), Type.Unknown()),
        created_at: Timestamp,
      }),
    ),
  },
});

export const bondOperations = [getBond, depositBond, withdrawBond, listDeveloperNotices];

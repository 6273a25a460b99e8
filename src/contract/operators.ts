import { Type } from '@sinclair/typebox';
import {
  AgentId,
  Credits,
  Instant,
  Nullable,
  page,
  pageQuery,
  strictObject,
  text,
  Timestamp,
} from './common';
import { defineOperation } from './operation';

const tag = 'Operators';
const auth = 'session' as const;
const roles = ['operator'] as const;
const UserId = text({ maxLength: 36, pattern: '^usr_[0-9a-f]{32}$' });
const agentParams = strictObject({ agent_id: AgentId });
const accountParams = strictObject({ user_id: UserId });
const Why = strictObject({
  reason: text({ minLength: 1, maxLength: 4_000, pattern: '\\S', description: 'Kept in the log' }),
});
/** For what was done without a reason before there was a log. */
export const WhyIfAny = strictObject({
  reason: Type.Optional(
    text({ minLength: 1, maxLength: 4_000, pattern: '\\S', description: 'Kept in the log' }),
  ),
});
const errors = ['not_found', 'invalid_state'] as const;

const AgentStanding = strictObject({
  agent_id: AgentId,
  status: Type.Union([Type.Literal('active'), Type.Literal('suspended')]),
});

const Account = strictObject({
  user_id: Type.String(),
  email: Type.String(),
  role: Type.Union([Type.Literal('buyer'), Type.Literal('developer'), Type.Literal('operator')]),
  wallet_frozen: Type.Boolean(),
  frozen_since: Nullable(Timestamp),
});

const OperatorAction = strictObject({
  action_id: Type.String({ examples: ['opa_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
  operator_user_id: Nullable(Type.String({ description: 'Null for a command on the database' })),
  run_by: Nullable(
    Type.String({ examples: ['ada@db-1'], description: 'Who ran a command on the database, on which host' }),
  ),
  action: Type.String({
    examples: ['agent.suspend', 'wallet.freeze', 'payment.resolve', 'dispute.resolve', 'payout.settle'],
  }),
  subject: Type.String({ description: 'The id of what was acted upon' }),
  reason: Type.String(),
  details: Type.Record(Type.String(), Type.Unknown()),
  trace_id: Nullable(Type.String()),
  created_at: Timestamp,
});

const request = { reason: 'Reported by three buyers; under investigation.' };
const account = {
  user_id: 'usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  email: 'ada@example.org',
  role: 'buyer',
  wallet_frozen: true,
  frozen_since: '2026-11-02T00:00:00.000Z',
};

export const suspendAgent = defineOperation({
  id: 'suspendAgent',
  method: 'post',
  path: '/v1/operator/agents/{agent_id}/suspend',
  tag,
  summary: 'Take an agent out of search and from its callers',
  description: 'Calls that run end as they would. Its owner sees the reason code `suspended`.',
  auth,
  roles,
  params: agentParams,
  body: Why,
  responses: { 200: AgentStanding },
  errors,
  examples: { request, response: { agent_id: 'agt_csv_profiler_v1', status: 'suspended' } },
});

export const reinstateAgent = defineOperation({
  id: 'reinstateAgent',
  method: 'post',
  path: '/v1/operator/agents/{agent_id}/reinstate',
  tag,
  summary: 'Give a suspended agent back to its callers',
  auth,
  roles,
  params: agentParams,
  body: Why,
  responses: { 200: AgentStanding },
  errors,
  examples: { request, response: { agent_id: 'agt_csv_profiler_v1', status: 'active' } },
});

export const getOperatorAccount = defineOperation({
  id: 'getOperatorAccount',
  method: 'get',
  path: '/v1/operator/accounts/{user_id}',
  tag,
  summary: 'How an account stands',
  auth,
  roles,
  params: accountParams,
  responses: { 200: Account },
  errors: ['not_found'],
  examples: { response: account },
});

export const freezeWallet = defineOperation({
  id: 'freezeWallet',
  method: 'post',
  path: '/v1/operator/accounts/{user_id}/freeze',
  tag,
  summary: 'Freeze a wallet',
  description: 'It pays for no new call, and nothing is withdrawn from the account. Money still comes in.',
  auth,
  roles,
  params: accountParams,
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
  summary: 'Let a frozen wallet pay again',
  auth,
  roles,
  params: accountParams,
  body: Why,
  responses: { 200: Account },
  errors,
  examples: { request, response: { ...account, wallet_frozen: false, frozen_since: null } },
});

export const listOperatorActions = defineOperation({
  id: 'listOperatorActions',
  method: 'get',
  path: '/v1/operator/actions',
  tag,
  summary: 'What operators did, newest first',
  description:
    'Who, when, to what and why: everything that operators change, by the API or by commands. Rows are written with ' +
    'the deed and never changed.',
  auth,
  roles,
  query: strictObject({
    ...pageQuery,
    operator_user_id: Type.Optional(UserId),
    action: Type.Optional(text({ maxLength: 100 })),
    subject: Type.Optional(text({ maxLength: 200 })),
    since: Type.Optional(Instant('ISO 8601: deeds from then on')),
    until: Type.Optional(Instant('ISO 8601: deeds before then')),
  }),
  responses: { 200: page(OperatorAction) },
});

const LedgerDigest = strictObject({
  day: Type.String({ description: 'UTC day', examples: ['2026-11-20'] }),
  transactions: Type.Integer(),
  entries: Type.Integer(),
  moved_credits: Credits,
  entries_sha256: Type.String({ description: 'Folded over the entries of the day' }),
  previous_sha256: Type.String({ description: 'Digest of the day before; zeros on the first day' }),
  digest_sha256: Type.String({ description: 'SHA-256 of the payload of the seal' }),
  seal: Type.String({ description: 'Compact JWS, verifiable with /.well-known/jwks.json' }),
  sealed_at: Timestamp,
});

export const listLedgerDigests = defineOperation({
  id: 'listLedgerDigests',
  method: 'get',
  path: '/v1/operator/ledger/digests',
  tag,
  summary: 'The digests of the days of the ledger, newest first',
  description:
    'Each UTC day is sealed when it is over: a hash over its entries, chained to the day before and signed. Keep copies ' +
    'elsewhere.',
  auth,
  roles,
  query: strictObject(pageQuery),
  responses: { 200: page(LedgerDigest) },
});

export const operatorOperations = [
  suspendAgent,
  reinstateAgent,
  getOperatorAccount,
  freezeWallet,
  unfreezeWallet,
  listOperatorActions,
  listLedgerDigests,
];

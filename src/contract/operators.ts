import { Type } from '@sinclair/typebox';
import {
  AgentId,
  Credits,
  Instant,
  named,
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
/** The id of an account in a path or a query of an operator. */
export const UserId = text({ maxLength: 36, pattern: '^(usr|org)_[0-9a-f]{32}$' });
const agentParams = strictObject({ agent_id: AgentId });
/** The body of an action that needs a reason. */
export const Why = named(
  'OperatorReason',
  strictObject({
    reason: text({
      minLength: 1,
      maxLength: 4_000,
      pattern: '\\S',
      description: 'Recorded in the audit log',
    }),
  }),
);
/** For actions whose reason is optional. */
export const WhyIfAny = named(
  'OptionalReason',
  strictObject({
    reason: Type.Optional(
      text({ minLength: 1, maxLength: 4_000, pattern: '\\S', description: 'Recorded in the audit log' }),
    ),
  }),
);
const errors = ['not_found', 'invalid_state'] as const;

const AgentStanding = named(
  'AgentStanding',
  strictObject({
    agent_id: AgentId,
    status: Type.Union([Type.Literal('active'), Type.Literal('suspended')]),
  }),
);

export const OperatorAgent = named(
  'OperatorAgent',
  strictObject({
    agent_id: AgentId,
    developer_user_id: Type.String(),
    status: Type.Union([Type.Literal('active'), Type.Literal('suspended'), Type.Literal('retired')]),
    listed: Type.Boolean({ description: 'Whether search shows the agent' }),
    badge: Nullable(Type.String()),
    trust_score: Nullable(Type.Integer()),
    created_at: Timestamp,
  }),
);

const OperatorAction = named(
  'OperatorAction',
  strictObject({
    action_id: Type.String({ examples: ['opa_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
    operator_user_id: Nullable(
      Type.String({ description: 'Null for a command that was run on the database host' }),
    ),
    operator_name: Nullable(Type.String({ description: 'Display name of the operator' })),
    operator_email: Nullable(Type.String({ description: 'E-mail address of the operator' })),
    run_by: Nullable(
      Type.String({ examples: ['ada@db-1'], description: 'System user and host of a command' }),
    ),
    action: Type.String({
      examples: ['agent.suspend', 'wallet.freeze', 'payment.resolve', 'dispute.resolve', 'payout.settle'],
    }),
    subject: Type.String({ description: 'Id of the affected object' }),
    reason: Type.String(),
    details: Type.Record(Type.String(), Type.Unknown()),
    trace_id: Nullable(Type.String()),
    created_at: Timestamp,
  }),
);

const request = { reason: 'Reported by three buyers; under investigation.' };
export const getOperatorAgent = defineOperation({
  id: 'getOperatorAgent',
  method: 'get',
  path: '/v1/operator/agents/{agent_id}',
  tag,
  summary: 'Get an agent in any state',
  auth,
  roles,
  params: agentParams,
  responses: { 200: OperatorAgent },
  errors: ['not_found'],
  examples: {
    response: {
      agent_id: 'agt_csv_profiler_v1',
      developer_user_id: 'usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      status: 'suspended',
      listed: false,
      badge: 'standard',
      trust_score: 83,
      created_at: '2026-11-02T00:00:00.000Z',
    },
  },
});

export const suspendAgent = defineOperation({
  id: 'suspendAgent',
  method: 'post',
  path: '/v1/operator/agents/{agent_id}/suspend',
  tag,
  summary: 'Suspend an agent',
  description:
    'The agent is removed from search, and new calls are refused. Calls in progress are not affected. The owner sees the reason code `suspended`.',
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
  summary: 'Reinstate a suspended agent',
  auth,
  roles,
  params: agentParams,
  body: Why,
  responses: { 200: AgentStanding },
  errors,
  examples: { request, response: { agent_id: 'agt_csv_profiler_v1', status: 'active' } },
});

export const listOperatorActions = defineOperation({
  id: 'listOperatorActions',
  method: 'get',
  path: '/v1/operator/actions',
  tag,
  summary: 'List the audit log of operator actions, newest first',
  description:
    'Every change that operators make, through the API or by commands: who, when, what and why. Entries ' +
    'are written in the same transaction as the change and never modified.',
  auth,
  roles,
  query: strictObject({
    ...pageQuery,
    operator_user_id: Type.Optional(UserId),
    action: Type.Optional(text({ maxLength: 100 })),
    subject: Type.Optional(text({ maxLength: 200 })),
    since: Type.Optional(Instant('ISO 8601, inclusive')),
    until: Type.Optional(Instant('ISO 8601, exclusive')),
  }),
  responses: { 200: page(OperatorAction) },
});

const LedgerDigest = named(
  'LedgerDigest',
  strictObject({
    day: Type.String({ description: 'UTC day', examples: ['2026-11-20'] }),
    transactions: Type.Integer(),
    entries: Type.Integer(),
    moved_credits: Credits,
    entries_sha256: Type.String({ description: "Chained over the day's entries in order" }),
    previous_sha256: Type.String({ description: 'Digest of the preceding day; zeros for the first day' }),
    digest_sha256: Type.String({ description: "SHA-256 of the seal's payload" }),
    seal: Type.String({ description: 'Compact JWS, verifiable with /.well-known/jwks.json' }),
    sealed_at: Timestamp,
  }),
);

export const listLedgerDigests = defineOperation({
  id: 'listLedgerDigests',
  method: 'get',
  path: '/v1/operator/ledger/digests',
  tag,
  summary: 'List the daily digests of the ledger, newest first',
  description:
    'Each UTC day is sealed when it is over: its entries are hashed, and the digest is chained to the ' +
    'preceding day and signed. Store copies outside this service.',
  auth,
  roles,
  query: strictObject(pageQuery),
  responses: { 200: page(LedgerDigest) },
});

export const operatorOperations = [
  getOperatorAgent,
  suspendAgent,
  reinstateAgent,
  listOperatorActions,
  listLedgerDigests,
];

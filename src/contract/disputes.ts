import { Type, type TLiteral } from '@sinclair/typebox';
import { DISPUTE_REASONS, DISPUTE_RESOLUTIONS, DISPUTE_STATUSES } from '../domain/disputes/dispute-state';
import { Credits, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { Offer, Part } from './dispute-offers';
import { Attachments, DisputedCall } from './disputed-call';
import { defineOperation } from './operation';
import { signInHeaders } from './x402';

const tag = 'Disputes';
const DisputeId = text({ maxLength: 36, pattern: '^dsp_[0-9a-f]{32}$' });
export const params = strictObject({ dispute_id: DisputeId });
/** Text that people write about a case; not blank. */
export const Prose = text({ minLength: 1, maxLength: 4_000, pattern: '\\S' });

const oneOf = <const T extends string>(values: readonly T[], description?: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)) as unknown as [TLiteral<T>],
    description === undefined ? {} : { description },
  );

const Status = named('DisputeStatus', oneOf(DISPUTE_STATUSES));
const Reason = named('DisputeReason', oneOf(DISPUTE_REASONS));

const fields = {
  dispute_id: DisputeId,
  invocation_id: Type.String(),
  agent_id: Type.String(),
  agent_name: Type.String({ description: 'Its display name in the version that was called' }),
  status: oneOf(
    DISPUTE_STATUSES,
    'open: waiting for the developer; accepted: the buyer is refunded, in full or by an offer that the buyer accepted; ' +
      'contested: waiting for an operator; won, lost: decided for or against the buyer',
  ),
  resolution: Nullable(oneOf(DISPUTE_RESOLUTIONS, 'How the dispute was decided')),
  reason: Reason,
  description: Type.String(),
  statement: Nullable(Type.String({ description: "The developer's response" })),
  decision_reason: Nullable(Type.String({ description: "The operator's explanation" })),
  offer: Nullable(Offer),
  refunded_credits: Credits,
  opened_at: Timestamp,
  respond_by: Type.Union([Timestamp, Type.Null()], {
    description:
      'Deadline for the developer to respond; without a response the dispute is accepted. Null for a call ' +
      'that was in progress',
  }),
  responded_at: Nullable(Timestamp),
  resolved_at: Nullable(Timestamp),
};

export const Dispute = named(
  'Dispute',
  strictObject({
    ...fields,
    role: Type.Union([Type.Literal('buyer'), Type.Literal('developer')], {
      description: 'Your side of the dispute',
    }),
  }),
);

const DisputeWithCall = named(
  'DisputeWithCall',
  strictObject({
    ...fields,
    role: Dispute.properties.role,
    call: DisputedCall,
    attachments: Attachments,
  }),
);

export const OperatorDispute = named(
  'OperatorDispute',
  strictObject({
    ...fields,
    buyer_user_id: Type.String(),
    developer_user_id: Type.String(),
    resolved_by: Nullable(Type.String({ description: 'User id of the operator' })),
    charged_credits: Nullable(
      Type.Number({
        description:
          'Charge of the call, of which a refund returns all or a part; null while it is not settled',
      }),
    ),
  }),
);

const OperatorDisputeWithCall = named(
  'OperatorDisputeWithCall',
  strictObject({
    ...OperatorDispute.properties,
    call: DisputedCall,
    attachments: Attachments,
  }),
);

export const disputeExample = {
  dispute_id: 'dsp_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  invocation_id: 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  agent_id: 'agt_csv_profiler_v1',
  agent_name: 'CSV profiler',
  status: 'open',
  resolution: null,
  reason: 'output_incorrect',
  description: 'The third column is text, not numbers.',
  statement: null,
  decision_reason: null,
  offer: null,
  refunded_credits: 0,
  opened_at: '2026-11-02T00:00:00.000Z',
  respond_by: '2026-11-05T00:00:00.000Z',
  responded_at: null,
  resolved_at: null,
};

export const openDispute = defineOperation({
  id: 'openDispute',
  method: 'post',
  path: '/v1/billing/disputes',
  tag,
  summary: 'Dispute one of your calls',
  description:
    'A call in progress ends at once: its status becomes `disputed`, the hold is refunded in full, and a ' +
    'client that waits for the answer gets 409 `already_disputed` without output. A successful call can be ' +
    'disputed within 72 hours. The developer then has 72 hours to accept or contest. Without a response ' +
    'the dispute is accepted; a contested dispute is decided by an operator. Each call can be disputed ' +
    'once. The developer does not see input and output of the call, unless you attach them.',
  auth: { scope: 'disputes:write' },
  bySignedStatement: true,
  headers: strictObject(signInHeaders),
  body: strictObject({
    invocation_id: text({ maxLength: 40, pattern: '^inv_[0-9a-f]{32}$' }),
    reason: Reason,
    description: Prose,
    attachments: Type.Optional(Attachments),
  }),
  responses: { 201: Dispute },
  errors: ['not_found', 'already_disputed', 'invalid_state'],
  examples: {
    request: {
      invocation_id: disputeExample.invocation_id,
      reason: 'output_incorrect',
      description: disputeExample.description,
    },
    response: { ...disputeExample, role: 'buyer' },
  },
});

export const listDisputes = defineOperation({
  id: 'listDisputes',
  permission: 'view',
  method: 'get',
  path: '/v1/billing/disputes',
  tag,
  summary: 'List disputes of your calls and of your agents, newest first',
  auth: { scope: 'billing:read' },
  query: strictObject({
    ...pageQuery,
    status: Type.Optional(Status),
    role: Type.Optional(Type.Union([Type.Literal('buyer'), Type.Literal('developer')])),
  }),
  responses: { 200: page(Dispute) },
});

export const getDispute = defineOperation({
  id: 'getDispute',
  permission: 'view',
  method: 'get',
  path: '/v1/billing/disputes/{dispute_id}',
  tag,
  summary: 'Get a dispute as its buyer or developer',
  auth: { scope: 'billing:read' },
  bySignedStatement: true,
  headers: strictObject(signInHeaders),
  params,
  responses: { 200: DisputeWithCall },
  errors: ['not_found'],
  examples: {
    response: {
      ...disputeExample,
      role: 'developer',
      call: {
        version: '1.0.0',
        surface: 'invoke',
        invoked_at: '2026-11-01T23:59:58.000Z',
        settled_at: '2026-11-01T23:59:59.000Z',
        duration_ms: 640,
        tokens_in: 14,
        tokens_out: 11,
        input_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        output_sha256: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
        input_bytes: 41,
        output_bytes: 44,
        schema_valid: true,
        truncated_by: null,
        credits_charged: 5,
      },
      attachments: { output: { columns: [{ name: 'price', type: 'text' }] } },
    },
  },
});

export const respondToDispute = defineOperation({
  id: 'respondToDispute',
  permission: 'agents',
  method: 'post',
  path: '/v1/billing/disputes/{dispute_id}/respond',
  tag,
  summary: 'Accept or contest a dispute of your agent',
  description:
    'Possible once, before `respond_by`. Accepting refunds the buyer in full; contesting refers the dispute to an operator. With ' +
    '`refund_credits`, less than what is left of the charge, the dispute is contested, and that part is an offer, which the ' +
    'buyer may accept.',
  auth: 'session',
  params,
  body: strictObject({
    decision: Type.Union([Type.Literal('accept'), Type.Literal('contest')]),
    statement: Prose,
    refund_credits: Type.Optional(Part),
  }),
  responses: { 200: Dispute },
  errors: ['not_found', 'forbidden', 'invalid_state', 'engine_unavailable'],
  examples: {
    request: {
      decision: 'contest',
      statement: 'The column holds numbers with a decimal comma, as the listing says.',
    },
    response: {
      ...disputeExample,
      role: 'developer',
      status: 'contested',
      statement: 'The column holds numbers with a decimal comma, as the listing says.',
      responded_at: '2026-11-03T00:00:00.000Z',
    },
  },
});

export const listOperatorDisputes = defineOperation({
  id: 'listOperatorDisputes',
  method: 'get',
  path: '/v1/operator/disputes',
  tag,
  summary: 'List disputes of all accounts, newest first',
  description:
    'Without `status`, lists undecided disputes: open and contested. With `user_id` and without `status`, lists all ' +
    'disputes of that account, as buyer or developer. `all` lists those in any state.',
  auth: 'session',
  roles: ['operator'],
  query: strictObject({
    ...pageQuery,
    status: Type.Optional(oneOf([...DISPUTE_STATUSES, 'all'])),
    user_id: Type.Optional(text({ maxLength: 36, pattern: '^(usr|org)_[0-9a-f]{32}$' })),
  }),
  responses: { 200: page(OperatorDispute) },
});

export const getOperatorDispute = defineOperation({
  id: 'getOperatorDispute',
  method: 'get',
  path: '/v1/operator/disputes/{dispute_id}',
  tag,
  summary: 'Get any dispute, with the facts of its call',
  auth: 'session',
  roles: ['operator'],
  params,
  responses: { 200: OperatorDisputeWithCall },
  errors: ['not_found'],
});

export const resolveDispute = defineOperation({
  id: 'resolveDispute',
  method: 'post',
  path: '/v1/operator/disputes/{dispute_id}/resolve',
  tag,
  summary: 'Decide a contested dispute',
  description:
    "`buyer`: the buyer is refunded in full, from the platform fee and the developer's net, and the call " +
    'becomes `disputed`; with `refund_credits`, that part is refunded, fee and net in proportion, and the call stays as it is. ' +
    '`developer`: the earnings mature as if there had been no dispute. An open offer ends.',
  auth: 'session',
  roles: ['operator'],
  params,
  body: strictObject({
    decision: Type.Union([Type.Literal('buyer'), Type.Literal('developer')]),
    reason: Prose,
    refund_credits: Type.Optional(Part),
  }),
  responses: { 200: OperatorDispute },
  errors: ['not_found', 'invalid_state', 'engine_unavailable'],
  examples: { request: { decision: 'buyer', reason: 'The output does not follow the listing.' } },
});

export const disputeOperations = [
  openDispute,
  listDisputes,
  getDispute,
  respondToDispute,
  listOperatorDisputes,
  getOperatorDispute,
  resolveDispute,
];

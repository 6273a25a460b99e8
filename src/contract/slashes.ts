import { Type, type TLiteral } from '@sinclair/typebox';
import { SLASH_RESOLUTIONS, SLASH_STATUSES } from '../domain/bonds/slash';
import { AgentId, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const tag = 'Bonds';
const SlashId = text({ maxLength: 36, pattern: '^slh_[0-9a-f]{32}$' });
const params = strictObject({ slash_id: SlashId });
/** What people write about a slash; not empty, not only white space. */
const Prose = text({ minLength: 1, maxLength: 4_000, pattern: '\\S' });
const Evidence = Type.Unknown({
  description: 'Any JSON of at most 32 KiB: what shows it, such as hashes, ids, excerpts',
});

const oneOf = <const T extends string>(values: readonly T[], description?: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)) as unknown as [TLiteral<T>],
    description === undefined ? {} : { description },
  );

const fields = {
  slash_id: SlashId,
  agent_id: Type.String(),
  status: oneOf(
    SLASH_STATUSES,
    'applied: the developer may answer; contested: an operator decides; final: refunded to buyers; overturned: back in the bond',
  ),
  resolution: Nullable(oneOf(SLASH_RESOLUTIONS, 'What ended the slash')),
  credits: Type.Number({ description: 'What left the bond' }),
  requested_credits: Type.Number({
    description: 'What the operator asked for; the bond may have held less',
  }),
  explanation: Type.String(),
  evidence: Type.Unknown(),
  calls: Type.Array(
    strictObject({
      invocation_id: Type.String(),
      refunded_credits: Nullable(Type.Number({ description: "Its buyer's share; null until it is final" })),
    }),
  ),
  counter_argument: Nullable(
    strictObject({ statement: Type.String(), evidence: Type.Unknown(), created_at: Timestamp }),
  ),
  decision_reason: Nullable(Type.String({ description: "The operator's" })),
  applied_at: Timestamp,
  counter_by: Type.String({
    format: 'date-time',
    description: 'Until when the developer may answer; silence makes the slash final',
  }),
  resolved_at: Nullable(Timestamp),
  top_up_by: Type.Union([Timestamp, Type.Null()], {
    description: 'Until when the bond must be topped up, when this slash left it below its tier',
  }),
  remaining_seconds: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description:
      'Until the deadline that runs: counter_by, later top_up_by; null when none does. For display only',
  }),
};

export const Slash = strictObject(fields);

export const OperatorSlash = strictObject({
  ...fields,
  developer_user_id: Type.String(),
  applied_by: Type.String({ description: 'User id of the operator' }),
  resolved_by: Nullable(Type.String({ description: 'User id of the operator' })),
});

const example = {
  slash_id: 'slh_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  agent_id: 'agt_csv_profiler_v1',
  status: 'applied',
  resolution: null,
  credits: 300,
  requested_credits: 300,
  explanation: 'The agent returned rows of another buyer.',
  evidence: { output_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
  calls: [{ invocation_id: 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b', refunded_credits: null }],
  counter_argument: null,
  decision_reason: null,
  applied_at: '2026-11-02T00:00:00.000Z',
  counter_by: '2026-11-09T00:00:00.000Z',
  resolved_at: null,
  top_up_by: null,
  remaining_seconds: 604800,
};

const statusQuery = strictObject({ ...pageQuery, status: Type.Optional(oneOf(SLASH_STATUSES)) });

export const listSlashes = defineOperation({
  id: 'listSlashes',
  method: 'get',
  path: '/v1/billing/developer/slashes',
  tag,
  summary: 'Slashes of your bond, newest first',
  auth: { scope: 'billing:read' },
  roles: ['developer'],
  query: statusQuery,
  responses: { 200: page(Slash) },
});

export const getSlash = defineOperation({
  id: 'getSlash',
  method: 'get',
  path: '/v1/billing/developer/slashes/{slash_id}',
  tag,
  summary: 'Read a slash of your bond, with explanation and evidence',
  auth: { scope: 'billing:read' },
  roles: ['developer'],
  params,
  responses: { 200: Slash },
  errors: ['not_found'],
  examples: { response: example },
});

export const counterSlash = defineOperation({
  id: 'counterSlash',
  method: 'post',
  path: '/v1/billing/developer/slashes/{slash_id}/counter-argument',
  tag,
  summary: 'Answer a slash, so that an operator decides it',
  description: 'Once, until `counter_by`. Without an answer the slash becomes final then.',
  auth: 'session',
  roles: ['developer'],
  params,
  body: strictObject({ statement: Prose, evidence: Type.Optional(Evidence) }),
  responses: { 200: Slash },
  errors: ['not_found', 'invalid_state', 'engine_unavailable'],
  examples: { request: { statement: 'The rows are of the public sample that the listing names.' } },
});

export const applySlash = defineOperation({
  id: 'applySlash',
  method: 'post',
  path: '/v1/operator/slashes',
  tag,
  summary: 'Slash the bond of an agent’s developer',
  description:
    'The amount, at most what the bond holds, leaves the bond at once. Once final it is split over the buyers of ' +
    '`invocation_ids` by what is left of their charges, to the last hundredth of a credit. With an `Idempotency-Key` a ' +
    'repetition of the same request takes nothing more; another request is 409.',
  auth: 'session',
  roles: ['operator'],
  headers: strictObject({ 'Idempotency-Key': Type.Optional(text({ minLength: 1, maxLength: 255 })) }),
  body: strictObject({
    agent_id: AgentId,
    credits: Type.Number({
      minimum: 0.01,
      maximum: 1_000_000_000,
      description: 'More than 0, at most 2 decimals',
    }),
    explanation: Prose,
    evidence: Evidence,
    invocation_ids: Type.Array(text({ maxLength: 40, pattern: '^inv_[0-9a-f]{32}$' }), {
      minItems: 1,
      maxItems: 500,
      uniqueItems: true,
      description: 'Calls of this agent that the failure affected',
    }),
  }),
  responses: { 201: OperatorSlash },
  errors: ['not_found', 'invalid_state', 'idempotency_key_reused', 'invalid_header'],
  examples: {
    request: {
      agent_id: example.agent_id,
      credits: 300,
      explanation: example.explanation,
      evidence: example.evidence,
      invocation_ids: ['inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'],
    },
  },
});

export const listOperatorSlashes = defineOperation({
  id: 'listOperatorSlashes',
  method: 'get',
  path: '/v1/operator/slashes',
  tag,
  summary: 'Slashes that are not decided, with their deadlines, newest first',
  description: 'Without `status`: applied and contested ones.',
  auth: 'session',
  roles: ['operator'],
  query: statusQuery,
  responses: { 200: page(OperatorSlash) },
});

export const getOperatorSlash = defineOperation({
  id: 'getOperatorSlash',
  method: 'get',
  path: '/v1/operator/slashes/{slash_id}',
  tag,
  summary: 'Read any slash',
  auth: 'session',
  roles: ['operator'],
  params,
  responses: { 200: OperatorSlash },
  errors: ['not_found'],
});

export const resolveSlash = defineOperation({
  id: 'resolveSlash',
  method: 'post',
  path: '/v1/operator/slashes/{slash_id}/resolve',
  tag,
  summary: 'Decide a slash',
  description:
    '`upheld` makes a contested slash final and refunds the buyers; `overturned` returns the amount to the bond, also ' +
    'before the developer has answered.',
  auth: 'session',
  roles: ['operator'],
  params,
  body: strictObject({ decision: oneOf(['upheld', 'overturned']), reason: Prose }),
  responses: { 200: OperatorSlash },
  errors: ['not_found', 'invalid_state', 'engine_unavailable'],
  examples: { request: { decision: 'overturned', reason: 'The rows are public.' } },
});

export const slashOperations = [
  listSlashes,
  getSlash,
  counterSlash,
  applySlash,
  listOperatorSlashes,
  getOperatorSlash,
  resolveSlash,
];

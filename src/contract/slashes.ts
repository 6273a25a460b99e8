import { Type, type TLiteral } from '@sinclair/typebox';
import { ORDERED_REFUNDS, SLASH_REFUNDS, SLASH_RESOLUTIONS, SLASH_STATUSES } from '../domain/bonds/slash';
import { creditsProblems, evidenceProblems } from '../domain/bonds/request-problems';
import { AgentId, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const tag = 'Bonds';
const SlashId = text({ maxLength: 36, pattern: '^slh_[0-9a-f]{32}$' });
const params = strictObject({ slash_id: SlashId });
/** Text that people write about a slash; not blank. */
const Prose = text({ minLength: 1, maxLength: 4_000, pattern: '\\S' });
const Evidence = Type.Unknown({
  description: 'Any JSON of at most 32 KiB that supports the claim, such as hashes, ids or excerpts',
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
    'applied: the developer can contest it; contested: waiting for an operator; final: buyers are refunded; ' +
      'overturned: returned to the bond',
  ),
  resolution: Nullable(oneOf(SLASH_RESOLUTIONS, 'How the slash was decided')),
  credits: Type.Number({
    description:
      'Amount that left the bond: at most the bond and, if buyers are refunded, at most what was left of the charges of ' +
      'the calls. When calls are refunded otherwise before the slash is final, their part returns to the bond',
  }),
  requested_credits: Type.Number({ description: 'Amount that the operator requested' }),
  refund: oneOf(
    SLASH_REFUNDS,
    'affected: the amount goes to the buyers of the calls; none: the platform keeps it as a penalty; warranty: it goes to the ' +
      'buyers of the month in which the agent broke its warranty',
  ),
  explanation: Type.String(),
  evidence: Type.Unknown(),
  calls: Type.Array(
    strictObject({
      invocation_id: Type.String(),
      refunded_credits: Nullable(
        Type.Number({ description: "Refund of the call's buyer; null until the slash is final" }),
      ),
    }),
  ),
  buyers: Type.Integer({
    minimum: 0,
    description: 'Buyers of the month of a broken warranty; 0 for any other slash',
  }),
  counter_argument: Nullable(
    strictObject({ statement: Type.String(), evidence: Type.Unknown(), created_at: Timestamp }),
  ),
  decision_reason: Nullable(Type.String({ description: "The operator's explanation" })),
  applied_at: Timestamp,
  counter_by: Type.String({
    format: 'date-time',
    description: 'Deadline for the developer to contest; afterwards the slash becomes final',
  }),
  resolved_at: Nullable(Timestamp),
  top_up_by: Type.Union([Timestamp, Type.Null()], {
    description: "Deadline for topping up the bond; set when this slash left it below its tier's minimum",
  }),
  remaining_seconds: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description:
      'Seconds until the current deadline (counter_by, then top_up_by); null without one. For display only',
  }),
};

export const Slash = named('Slash', strictObject(fields));

export const OperatorSlash = named(
  'OperatorSlash',
  strictObject({
    ...fields,
    developer_user_id: Type.String(),
    applied_by: Type.String({ description: 'User id of the operator, or `warranty` for a broken warranty' }),
    resolved_by: Nullable(Type.String({ description: 'User id of the operator' })),
  }),
);

const example = {
  slash_id: 'slh_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  agent_id: 'agt_csv_profiler_v1',
  status: 'applied',
  resolution: null,
  credits: 300,
  requested_credits: 500,
  refund: 'affected',
  explanation: 'The agent returned rows of another buyer.',
  evidence: { output_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
  calls: [{ invocation_id: 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b', refunded_credits: null }],
  buyers: 0,
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
  permission: 'view',
  method: 'get',
  path: '/v1/billing/developer/slashes',
  tag,
  summary: 'List slashes of your bond, newest first',
  auth: { scope: 'billing:read' },
  roles: ['developer'],
  query: statusQuery,
  responses: { 200: page(Slash) },
});

export const getSlash = defineOperation({
  id: 'getSlash',
  permission: 'view',
  method: 'get',
  path: '/v1/billing/developer/slashes/{slash_id}',
  tag,
  summary: 'Get a slash of your bond, with explanation and evidence',
  auth: { scope: 'billing:read' },
  roles: ['developer'],
  params,
  responses: { 200: Slash },
  errors: ['not_found'],
  examples: { response: example },
});

export const counterSlash = defineOperation({
  id: 'counterSlash',
  permission: 'agents',
  method: 'post',
  path: '/v1/billing/developer/slashes/{slash_id}/counter-argument',
  tag,
  summary: 'Contest a slash',
  description:
    'Possible once, before `counter_by`. An operator then decides the slash. An uncontested slash becomes final at `counter_by`.',
  auth: 'session',
  roles: ['developer'],
  params,
  body: strictObject({ statement: Prose, evidence: Type.Optional(Evidence) }),
  laterProblems: ({ evidence }) => evidenceProblems(evidence),
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
    'The amount leaves the bond at once, limited to the balance of the bond and to what remains of the charges of ' +
    '`invocation_ids`. When the slash is final, it is divided among their buyers in proportion to what remains of ' +
    'their charges, exact to a hundredth of a credit. With `refund: none`, the charges do not limit the amount, and ' +
    'the platform keeps it as a penalty: for calls that cost nothing or were refunded. With an `Idempotency-Key`, a repeated request takes nothing more; a ' +
    'different request is refused with 409.',
  auth: 'session',
  roles: ['operator'],
  headers: strictObject({ 'Idempotency-Key': Type.Optional(text({ minLength: 1, maxLength: 255 })) }),
  body: strictObject({
    agent_id: AgentId,
    credits: Type.Number({
      minimum: 0.01,
      maximum: 1_000_000_000,
      description: 'Greater than 0, at most 2 decimals',
    }),
    refund: Type.Optional(
      oneOf(ORDERED_REFUNDS, 'Who gets the amount; default: affected, the buyers of the calls'),
    ),
    explanation: Prose,
    evidence: Evidence,
    invocation_ids: Type.Array(text({ maxLength: 40, pattern: '^inv_[0-9a-f]{32}$' }), {
      minItems: 1,
      maxItems: 500,
      uniqueItems: true,
      description: 'Calls of this agent that the failure affected',
    }),
  }),
  laterProblems: ({ credits, evidence }) => [...creditsProblems(credits), ...evidenceProblems(evidence)],
  responses: { 201: OperatorSlash },
  errors: ['not_found', 'invalid_state', 'idempotency_key_reused', 'invalid_header'],
  examples: {
    request: {
      agent_id: example.agent_id,
      credits: 500,
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
  summary: 'List slashes with their deadlines, newest first',
  description:
    'Without `status`, lists undecided slashes: applied and contested. With `agent_id` or `developer_user_id` and ' +
    'without `status`, and with `all`, lists those in any state.',
  auth: 'session',
  roles: ['operator'],
  query: strictObject({
    ...pageQuery,
    status: Type.Optional(oneOf([...SLASH_STATUSES, 'all'])),
    agent_id: Type.Optional(AgentId),
    developer_user_id: Type.Optional(text({ maxLength: 36, pattern: '^(usr|org)_[0-9a-f]{32}$' })),
  }),
  responses: { 200: page(OperatorSlash) },
});

export const getOperatorSlash = defineOperation({
  id: 'getOperatorSlash',
  method: 'get',
  path: '/v1/operator/slashes/{slash_id}',
  tag,
  summary: 'Get any slash',
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
    '`upheld` makes a contested slash final and refunds the buyers. `overturned` returns the amount to the ' +
    'bond; it is possible before the developer has answered.',
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

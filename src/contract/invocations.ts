import { MAX_COST_CREDITS } from '../domain/calls/cost-ceiling';
import { Type } from '@sinclair/typebox';
import { Accept } from './acceptance';
import { MOST_TAG_LENGTH, PAIR_PATTERN } from '../domain/billing/tag';
import { CALL_FAILURES, CALL_REFUSALS, PAYMENT_ERRORS } from './call-errors';
import {
  AgentId,
  Instant,
  named,
  Nullable,
  page,
  pageQuery,
  strictObject,
  text,
  Timestamp,
  TruncatedBy,
} from './common';
import { Evidence, RefundReceipt } from './evidence';
import { PresentedMandate } from './mandates';
import { QuoteId } from './quotes';
import { Metadata, metadataOfCall } from './metadata';
import { JobOfCall } from './job-reports';
import { defineOperation } from './operation';
import { visitorHeaders } from './x402';

export const InvocationId = text({ maxLength: 40, pattern: '^inv_[0-9a-f]{32}$' });
const IdempotencyKey = text({ minLength: 1, maxLength: 255 });

export const Usage = named(
  'Usage',
  strictObject({
    tokens_in: Type.Integer({ minimum: 0 }),
    tokens_out: Type.Integer({ minimum: 0 }),
    duration_ms: Type.Integer({ minimum: 0 }),
    credits_charged: Type.Integer({ minimum: 0 }),
  }),
);

export const AgentError = named(
  'AgentError',
  strictObject({
    code: Type.String(),
    message: Type.String(),
    retryable: Type.Boolean(),
    agent_message: Type.Optional(
      Type.String({
        maxLength: 500,
        description:
          'Why the agent refused the request, in its own words: untrusted text of one line, kept as long as an answer',
      }),
    ),
  }),
);

export const InvocationStatus = named(
  'InvocationStatus',
  Type.Union([
    Type.Literal('pending'),
    Type.Literal('running'),
    Type.Literal('succeeded'),
    Type.Literal('failed'),
    Type.Literal('disputed'),
  ]),
);

export const Invocation = named(
  'Invocation',
  strictObject({
    invocation_id: InvocationId,
    agent_id: Type.String(),
    agent_name: Type.String({ description: 'Its display name in the version that was called' }),
    version: Type.String(),
    surface: Type.String({ examples: ['invoke', 'chat', 'use', 'mcp', 'a2a'] }),
    status: InvocationStatus,
    usage: Usage,
    truncated_by: Nullable(TruncatedBy),
    error: Nullable(AgentError),
    metadata: metadataOfCall,
    invoked_at: Timestamp,
    settled_at: Nullable(Timestamp),
    trace_id: Type.String(),
    evidence: Nullable(Evidence),
  }),
);

/** Set when a repeated call has no answer to return. */
export const outputExpired = Type.Optional(
  Type.Literal(true, {
    description:
      'Only with `output: null`, for a call that succeeded before: its answer was deleted, or was never stored because the ' +
      'account had reached its quota of stored bytes. Nothing is charged again',
  }),
);

/** Fields of an answer that is not JSON; its output is a string. */
export const plainAnswerFields = {
  content_type: Type.Optional(
    Type.String({
      description: 'Media type that the agent declared; only for an answer that is not JSON',
    }),
  ),
  output_encoding: Type.Optional(
    Type.Literal('base64', { description: 'Only for an answer that is neither JSON nor UTF-8 text' }),
  ),
};

export const InvocationDetail = named(
  'InvocationDetail',
  Type.Composite(
    [
      Invocation,
      strictObject({
        refunded_credits: Type.Number({
          minimum: 0,
          description: 'What a dispute or a slash returned of `usage.credits_charged`',
        }),
        refund_receipt: Nullable(RefundReceipt),
        forwarded_at: Nullable(Timestamp),
        dispute: Nullable(
          strictObject({
            dispute_id: Type.String(),
            status: Type.String(),
            opened_at: Timestamp,
            respond_by: Nullable(Timestamp),
            resolved_at: Nullable(Timestamp),
          }),
        ),
        job: Type.Optional(JobOfCall),
        output: Type.Optional(Type.Unknown()),
        ...plainAnswerFields,
      }),
    ],
    {
      additionalProperties: false,
    },
  ),
);

/** What a caller prefers about the time of the response (RFC 7240). */
export const Prefer = Type.Optional(
  Type.String({
    description:
      '`respond-async`: answers 202 with `Location` while the call runs; with `wait=<seconds>` (at most 300), only if it has ' +
      'not ended by then. Unknown preferences are ignored',
    examples: ['respond-async, wait=10'],
  }),
);

/** Specification, "Invocation": POST /v1/agents/{agent_id}/invoke. */
export const invokeAgent = defineOperation({
  id: 'invokeAgent',
  method: 'post',
  path: '/v1/agents/{agent_id}/invoke',
  tag: 'Invocation',
  summary: 'Invoke an agent and pay for its answer',
  description:
    'Validates the input, holds the price in escrow, forwards the call, validates the answer and settles. ' +
    'A failed call is free. With `Idempotency-Key` (or `idempotency_key`), retries are safe: a call is ' +
    'never charged twice. With `Prefer: respond-async`, the response is 202 while the call runs, and its answer is kept at ' +
    '`GET /v1/invocations/{invocation_id}` as long as the agent retains data, at least 24 hours.',
  auth: { scope: 'agents:invoke' },
  payable: true,
  params: strictObject({ agent_id: AgentId }),
  headers: strictObject({
    'Idempotency-Key': Type.Optional(IdempotencyKey),
    Prefer,
    ...visitorHeaders,
  }),
  bodyLimitBytes: 12 * 1024 * 1024,
  body: strictObject({
    input: Type.Object(
      {},
      { additionalProperties: true, description: "The agent's input, valid under its input schema" },
    ),
    max_cost_credits: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_COST_CREDITS,
        description: 'Maximum cost of this call, in whole credits',
      }),
    ),
    idempotency_key: Type.Optional(IdempotencyKey),
    quote_id: Type.Optional(QuoteId),
    metadata: Type.Optional(Metadata),
    accept: Type.Optional(Accept),
    mandate: Type.Optional(PresentedMandate),
  }),
  responses: {
    200: named(
      'InvocationResult',
      strictObject({
        output: Type.Unknown({ description: "The agent's answer, valid under its output schema" }),
        ...plainAnswerFields,
        usage: Usage,
        trace_id: Type.String(),
        invocation_id: InvocationId,
        output_expired: outputExpired,
        truncated: Type.Optional(
          Type.Literal(true, { description: 'Only for the answer of a stream that ended early' }),
        ),
      }),
    ),
    202: InvocationDetail,
  },
  errors: [...CALL_REFUSALS, ...CALL_FAILURES, ...PAYMENT_ERRORS, 'rate_limited'],
  examples: {
    request: { input: { quantity: '26.2 mi', to: 'km' }, max_cost_credits: 5 },
    response: {
      output: { quantity: 42.1648128, unit: 'km', text: '42.1648128 km', measure: 'length' },
      usage: { tokens_in: 14, tokens_out: 11, duration_ms: 6, credits_charged: 1 },
      trace_id: '0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      invocation_id: 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
    },
  },
});

export const listInvocations = defineOperation({
  id: 'listInvocations',
  method: 'get',
  path: '/v1/invocations',
  tag: 'Invocation',
  summary: 'List your calls, newest first',
  auth: { scope: 'agents:invoke' },
  query: strictObject({
    ...pageQuery,
    agent_id: Type.Optional(AgentId),
    status: Type.Optional(InvocationStatus),
    input_required: Type.Optional(
      Type.Literal('true', {
        description: 'Only calls whose agents have asked you a question, and wait for your answer',
      }),
    ),
    key_id: Type.Optional(
      text({ maxLength: 36, pattern: '^key_[0-9a-f]{32}$', description: 'Calls that an API key paid' }),
    ),
    tag: Type.Optional(
      text({
        maxLength: MOST_TAG_LENGTH,
        pattern: PAIR_PATTERN,
        description: 'A pair of the metadata, such as `project=atlas`: only calls with exactly this pair',
      }),
    ),
    since: Type.Optional(Instant('ISO 8601, inclusive')),
    until: Type.Optional(Instant('ISO 8601, exclusive')),
  }),
  responses: { 200: page(Invocation) },
});

export const getInvocation = defineOperation({
  id: 'getInvocation',
  method: 'get',
  path: '/v1/invocations/{invocation_id}',
  tag: 'Invocation',
  summary: 'Get one of your calls',
  description:
    'Includes `output` while the encrypted answer is retained: for calls with an idempotency key, and for ' +
    'calls whose client disconnected before the answer or did not wait for it. With `wait`, the response comes when the ' +
    'call has ended, when the agent of a job asks a question, or after so many seconds.',
  auth: { scope: 'agents:invoke' },
  bySignedStatement: true,
  params: strictObject({ invocation_id: InvocationId }),
  query: strictObject({
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 60,
        default: 0,
        description: 'Seconds to wait for the end of a call that runs, or for a question of its agent',
      }),
    ),
    known_question: Type.Optional(
      text({
        maxLength: 64,
        description:
          'The `question_id` that you know, or empty. The response comes at once if another question is open. Without ' +
          'it, a question that is open when the request comes ends no wait',
      }),
    ),
  }),
  responses: { 200: InvocationDetail },
  errors: ['not_found', 'concurrency_limited'],
});

export const cancelInvocation = defineOperation({
  id: 'cancelInvocation',
  method: 'delete',
  path: '/v1/invocations/{invocation_id}',
  tag: 'Invocation',
  summary: 'Cancel one of your calls while it runs',
  description:
    'Refunds the call, less what milestones of a job have earned, and hangs up on the agent; the call is then failed with the code `canceled`. Canceling it ' +
    'again changes nothing. 409 for a call that has ended, for a job whose agent has called its answer or failure back, ' +
    'and for a call whose answer is being delivered in pieces: closing the stream stops that, and what was delivered is paid.',
  auth: { scope: 'agents:invoke' },
  params: strictObject({ invocation_id: InvocationId }),
  responses: { 200: InvocationDetail },
  errors: ['not_found', 'invalid_state'],
});

export const invocationOperations = [invokeAgent, listInvocations, getInvocation, cancelInvocation];

import { Type } from '@sinclair/typebox';
import { AcceptanceHeader } from './acceptance';
import { CALL_FAILURES, CALL_REFUSALS, PAYMENT_ERRORS } from './call-errors';
import { MaxCostHeader, Slug, strictObject, text } from './common';
import { InvocationDetail, outputExpired, plainAnswerFields, Prefer, Usage } from './invocations';
import { defineOperation } from './operation';
import { QuoteId } from './quotes';
import { visitorHeaders } from './x402';

/** Specification, "Invocation": POST /v1/agents/{owner}/{slug}/use. */
export const useAgent = defineOperation({
  id: 'useAgent',
  method: 'post',
  path: '/v1/agents/{owner}/{slug}/use',
  tag: 'Invocation',
  summary: "Call an agent with a body in the agent's own format",
  description:
    'For a self-hosted agent, the body is passed on verbatim with its content type. For an MCP agent, the ' +
    'body is `{"tool": …, "arguments": {…}}`, and the service performs the handshake. For an agent with a ' +
    'manifest, the body is its input, valid under its input schema. `owner` is the developer id, with or ' +
    'without `dev_`. The highest live major version answers. The call is paid like `invoke`: a failed call ' +
    'is free, and so is a result that an MCP tool marks as failed (`isError`).',
  auth: { scope: 'agents:invoke' },
  payable: true,
  params: strictObject({
    owner: text({ maxLength: 80, pattern: '^(dev_)?[a-z0-9]+(-[a-z0-9]+)*$' }),
    slug: Slug,
  }),
  headers: strictObject({
    'Idempotency-Key': Type.Optional(text({ minLength: 1, maxLength: 255 })),
    Prefer,
    ...visitorHeaders,
    'X-Max-Cost-Credits': MaxCostHeader,
    'X-Quote-Id': Type.Optional(QuoteId),
    'X-Metadata': Type.Optional(
      Type.String({
        description:
          'The pairs of `metadata` of invoke as a JSON object, such as `{"project": "atlas"}`; ASCII, so other letters as \\u escapes',
      }),
    ),
    'X-Acceptance': AcceptanceHeader,
    'X-Mandate': Type.Optional(
      Type.String({
        description:
          'A mandate (`mandate` of invoke) as base64url-encoded JSON, for a call that another account pays ' +
          'for',
      }),
    ),
  }),
  rawBody: true,
  bodyLimitBytes: 12 * 1024 * 1024,
  responses: {
    200: strictObject({
      output: Type.Unknown({
        description:
          "The agent's answer: JSON, the result of a tool, or any other answer as a string with " +
          '`content_type`',
      }),
      ...plainAnswerFields,
      usage: Usage,
      trace_id: Type.String(),
      invocation_id: Type.String(),
      output_expired: outputExpired,
      truncated: Type.Optional(Type.Literal(true)),
    }),
    202: InvocationDetail,
  },
  errors: [
    ...CALL_REFUSALS,
    ...CALL_FAILURES,
    ...PAYMENT_ERRORS,
    'malformed_json',
    'unsupported_media_type',
    'validation_failed',
    'rate_limited',
  ],
  examples: {
    response: {
      output: { content: [{ type: 'text', text: '42.16 km' }] },
      usage: { tokens_in: 14, tokens_out: 11, duration_ms: 6, credits_charged: 1 },
      trace_id: '0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      invocation_id: 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
    },
  },
});

export const useOperations = [useAgent];

/** Signed offers for one call (docs/quotes.md). */
import { Type } from '@sinclair/typebox';
import { AgentId, named, Nullable, strictObject, text, Timestamp } from './common';
import { Pricing } from './manifest';
import { defineOperation } from './operation';

const QUOTE_ID = { maxLength: 36, pattern: '^quo_[0-9a-f]{32}$' };

/** The quote of a call. */
export const QuoteId = text({
  ...QUOTE_ID,
  description:
    'A quote for this agent and this input: the call has its price and its version. It buys one call',
});

const Quote = named(
  'Quote',
  strictObject({
    quote_id: text(QUOTE_ID),
    agent_id: Type.String(),
    version: Type.String({ description: 'The version that will answer' }),
    manifest_sha256: Type.String(),
    input_sha256: Type.String({ description: 'SHA-256 of the canonical JSON of the input' }),
    pricing: Pricing,
    price_credits: Type.Optional(
      Type.Integer({ minimum: 0, description: 'What the call costs; of a price per call' }),
    ),
    ceiling_credits: Type.Optional(
      Type.Integer({ minimum: 0, description: 'The most that the call costs; of a metered price' }),
    ),
    expected_duration_ms: Nullable(
      Type.Integer({ description: 'Half of the paid calls of 30 days took less; null without any' }),
    ),
    expires_at: Timestamp,
    signature: Type.String({
      description:
        'Compact JWS (ES256) of the type `quote+jws`. Its payload is the canonical JSON of the other members, its `kid` a key ' +
        'of /.well-known/jwks.json',
    }),
  }),
);

export const quoteAgent = defineOperation({
  id: 'quoteAgent',
  method: 'post',
  path: '/v1/agents/{agent_id}/quote',
  tag: 'Invocation',
  summary: 'Get a signed offer for a call, which holds for ten minutes',
  description:
    'Checks the input as a call does, holds nothing and forwards nothing. `quote_id` in a call of the same account with the ' +
    'same input makes it cost what was offered, by the version that was offered, also after another version or a higher ' +
    'price. A quote buys one call; one that failed gives it back. A free call of the month is free all the same.',
  auth: { scope: 'agents:invoke' },
  params: strictObject({ agent_id: AgentId }),
  bodyLimitBytes: 12 * 1024 * 1024,
  body: strictObject({
    input: Type.Object(
      {},
      { additionalProperties: true, description: "The agent's input, valid under its input schema" },
    ),
  }),
  responses: { 200: Quote },
  errors: ['not_found', 'invalid_state', 'payload_too_large', 'input_schema_mismatch', 'rate_limited'],
  examples: {
    request: { input: { quantity: '26.2 mi', to: 'km' } },
    response: {
      quote_id: 'quo_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      agent_id: 'agt_unit_converter_v1',
      version: '1.4.0',
      manifest_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      input_sha256: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
      pricing: { model: 'per_call', credits_per_call: 1, free_tier_calls: 0 },
      price_credits: 1,
      expected_duration_ms: 6,
      expires_at: '2026-11-02T09:22:44.000Z',
      signature: 'eyJhbGciOiJFUzI1NiJ9.eyJhZ2VudF9pZCI6ImFndCJ9.c2lnbmF0dXJl',
    },
  },
});

export const quoteOperations = [quoteAgent];

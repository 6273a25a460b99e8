import { Type } from '@sinclair/typebox';
import { named, Nullable, strictObject, Timestamp, TruncatedBy } from './common';
import { Pricing } from './manifest';
import { metadataOfCall } from './metadata';
import { defineOperation } from './operation';

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** Questions of a job that its buyer has answered. */
export const AnsweredQuestions = Type.Array(
  strictObject({ question_id: Type.String(), question_sha256: Sha256, answer_sha256: Sha256 }),
  { description: 'What the agent asked during the job, and what was answered, by their SHA-256' },
);

/** The signed receipt of a finished call (docs/evidence.md). Hashes are SHA-256 over RFC 8785 canonical JSON. */
export const Evidence = named(
  'Receipt',
  strictObject({
    offer: strictObject({
      version: Type.String(),
      price: Pricing,
      manifest_sha256: Type.String(),
      quote_id: Type.Optional(Type.String({ description: 'The quote by which the call was made' })),
    }),
    authorisation: strictObject({
      max_cost_credits: Nullable(Type.Integer({ minimum: 0 })),
      mandate_jti: Type.Optional(Type.String()),
      accept_sha256: Type.Optional(
        Type.String({
          pattern: '^[0-9a-f]{64}$',
          description: 'SHA-256 of the canonical JSON of the tests of the caller (`accept`)',
        }),
      ),
      metadata: Type.Optional(metadataOfCall),
    }),
    receipt: strictObject({
      input_sha256: Sha256,
      output_sha256: Nullable(Sha256),
      answers: Type.Optional(AnsweredQuestions),
      schema_valid: Nullable(Type.Boolean()),
      accept_passed: Type.Optional(
        Nullable(
          Type.Boolean({ description: 'Whether the answer passed the tests; null if it was not tested' }),
        ),
      ),
      credits_charged: Type.Integer({ minimum: 0, description: 'What the call cost when it ended' }),
      truncated_by: Nullable(TruncatedBy),
      ledger: Type.Array(Type.String()),
    }),
    signature: Type.String({
      description:
        'Compact JWS (ES256). Its payload is the canonical JSON of the other members. Its protected header ' +
        'names the `invocation_id` and the key (a `kid` of /.well-known/jwks.json)',
    }),
  }),
);

/** The signed receipt of what a dispute returned. */
export const RefundReceipt = named(
  'RefundReceipt',
  strictObject(
    {
      dispute_id: Type.String(),
      resolution: Type.String(),
      credits_charged: Type.Number({ description: 'What the call cost when it ended' }),
      credits_refunded: Type.Number({
        description: 'What the dispute returned of it, all that was left or a part',
      }),
      refunded_at: Timestamp,
      ledger: Type.Array(Type.String()),
      signature: Type.String({ description: 'As that of the receipt of the call' }),
    },
    { description: 'The signed receipt of what a dispute returned of the charge' },
  ),
);

/** A public key in a JWKS. */
export const PublishedJwk = named(
  'PublicKey',
  strictObject({
    kty: Type.Literal('EC'),
    crv: Type.Literal('P-256'),
    x: Type.String(),
    y: Type.String(),
    kid: Type.String({ description: 'RFC 7638 thumbprint' }),
    use: Type.Literal('sig'),
    alg: Type.Literal('ES256'),
  }),
);

export const getJwks = defineOperation({
  id: 'getJwks',
  method: 'get',
  path: '/.well-known/jwks.json',
  tag: 'Evidence',
  summary: 'Get the public keys that verify evidence',
  description: 'Retired keys remain in the set, so that their signatures can always be verified.',
  auth: 'public',
  responses: { 200: strictObject({ keys: Type.Array(PublishedJwk) }) },
});

export const getRequestKeys = defineOperation({
  id: 'getRequestKeys',
  method: 'get',
  path: '/.well-known/http-message-signatures-directory',
  tag: 'Evidence',
  summary: 'Get the public keys that verify requests to agents',
  description:
    'The key directory of Web Bot Auth (draft-ietf-webbotauth-httpsig-protocol-01): a JWK Set of Ed25519 keys, with a ' +
    'signature by each of them in `Signature`. A replaced key remains for a day.',
  auth: 'public',
  responses: {
    200: {
      mediaType: 'application/http-message-signatures-directory+json',
      description:
        'A JWK Set: each key with `kid` (RFC 7638 thumbprint), `nbf`, and `exp` once it is replaced',
    },
  },
});

export const evidenceOperations = [getJwks, getRequestKeys];

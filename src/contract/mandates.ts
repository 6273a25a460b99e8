import { Type } from '@sinclair/typebox';
import { MANDATE_TYPE } from '../domain/mandates/mandate';
import { Credits, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { PublishedJwk } from './evidence';
import { defineOperation } from './operation';

const tag = 'Mandates';
/** A signing key can spend the wallet, so keys are managed in a session, like API keys. */
const auth = 'session';
const Jws = text({ maxLength: 32_768, description: 'Compact JWS, ES256' });
const Thumbprint = text({
  maxLength: 43,
  pattern: '^[A-Za-z0-9_-]{43}$',
  description: 'RFC 7638 thumbprint',
});
const Coordinate = text({ maxLength: 43, pattern: '^[A-Za-z0-9_-]{43}$' });

/**
 * The request field `mandate`. `proof` is optional for the issuer only; `parents` is required for delegated mandates.
 */
export const PresentedMandate = named(
  'PresentedMandate',
  strictObject(
    {
      type: Type.Literal(MANDATE_TYPE),
      jws: Jws,
      parents: Type.Optional(Type.Array(Jws, { maxItems: 32 })),
      proof: Type.Optional(Jws),
    },
    { description: 'A spend mandate, with which another account pays for the call (docs/mandates.md)' },
  ),
);

const PublicJwk = named(
  'MandateJwk',
  strictObject({
    kty: Type.Literal('EC'),
    crv: Type.Literal('P-256'),
    x: Coordinate,
    y: Coordinate,
  }),
);

const Key = named(
  'MandateKey',
  strictObject({
    kid: Thumbprint,
    jwk: PublicJwk,
    name: Nullable(Type.String()),
    created_at: Timestamp,
  }),
);

const keyExample = {
  kid: 'MdEDhfOaBZXAvIz1SfewxVvG41A1D4VgNMkvWOUrLEs',
  jwk: {
    kty: 'EC',
    crv: 'P-256',
    x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
    y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  },
  name: 'procurement',
  created_at: '2026-11-02T00:00:00.000Z',
};

export const registerMandateKey = defineOperation({
  id: 'registerMandateKey',
  permission: 'mandates',
  method: 'post',
  path: '/v1/mandate-keys',
  tag,
  summary: 'Register a public key that signs mandates for your account',
  description:
    'ES256 on P-256. Mandates reference the key by its thumbprint (`kid`) and are valid only while it is ' +
    'registered. Anyone who has the private key can spend your wallet. Registering the same key again ' +
    'returns the existing one.',
  auth,
  body: strictObject({
    jwk: strictObject({
      kty: Type.Literal('EC'),
      crv: Type.Literal('P-256'),
      x: Coordinate,
      y: Coordinate,
      kid: Type.Optional(Thumbprint),
      alg: Type.Optional(Type.Literal('ES256')),
      use: Type.Optional(Type.Literal('sig')),
      key_ops: Type.Optional(Type.Array(Type.Literal('verify'), { maxItems: 1 })),
      ext: Type.Optional(Type.Boolean()),
    }),
    name: Type.Optional(text({ minLength: 1, maxLength: 80, pattern: '\\S' })),
  }),
  responses: { 201: Key },
  errors: ['invalid_state'],
  examples: { request: { jwk: keyExample.jwk, name: keyExample.name }, response: keyExample },
});

export const listMandateKeys = defineOperation({
  id: 'listMandateKeys',
  permission: 'view',
  method: 'get',
  path: '/v1/mandate-keys',
  tag,
  summary: 'List the keys that sign mandates for your account, newest first',
  auth: { scope: 'billing:read' },
  query: strictObject(pageQuery),
  responses: { 200: page(Key) },
  examples: { response: { items: [keyExample], next_cursor: null, total: 1 } },
});

export const getMandateJwks = defineOperation({
  id: 'getMandateJwks',
  method: 'get',
  path: '/v1/mandate-keys/{account_id}/jwks.json',
  tag,
  summary: "Get the public keys that verify an account's mandates",
  description:
    'A JWKS (RFC 7517), so that an agent can verify a mandate before it works. `account_id` is the `iss` of the ' +
    'mandate. An account without keys, and an unknown one, have an empty set.',
  auth: 'public',
  params: strictObject({ account_id: text({ maxLength: 36, pattern: '^(usr|org)_[0-9a-f]{32}$' }) }),
  responses: { 200: strictObject({ keys: Type.Array(PublishedJwk) }) },
  examples: {
    response: { keys: [{ ...keyExample.jwk, kid: keyExample.kid, use: 'sig', alg: 'ES256' }] },
  },
});

export const removeMandateKey = defineOperation({
  id: 'removeMandateKey',
  permission: 'mandates',
  method: 'delete',
  path: '/v1/mandate-keys/{kid}',
  tag,
  summary: 'Remove a key and every mandate that it signed',
  description: 'New calls under these mandates are refused. Calls in progress are not affected.',
  auth,
  params: strictObject({ kid: Thumbprint }),
  responses: { 204: null },
  errors: ['not_found'],
});

const MandateId = text({ maxLength: 128, pattern: '^(mdt_[A-Za-z0-9_-]{1,124}|sub_[0-9a-f]{64})$' });
const Count = (description?: string) => Type.Integer({ minimum: 0, ...(description && { description }) });

const Mandate = named(
  'Mandate',
  strictObject({
    mandate_id: Type.String({
      description: 'The `jti` of a root mandate, or the derived id of a delegated one',
    }),
    jti: Type.String(),
    parent_mandate_id: Nullable(Type.String()),
    depth: Type.Integer({ minimum: 1, maximum: 5 }),
    kid: Type.String({ description: 'The key that signed it' }),
    subject: Type.String({ description: 'The agent or account that may use the mandate' }),
    status: Type.Union([Type.Literal('active'), Type.Literal('expired'), Type.Literal('revoked')]),
    max_credits: Credits,
    spent_credits: Credits,
    reserved_credits: Type.Number({ description: 'Maximum cost of calls in progress' }),
    remaining_credits: Credits,
    max_credits_per_call: Nullable(Count()),
    occurrences: Count('Calls that are in progress or succeeded'),
    max_occurrences: Nullable(Count()),
    allowed_payees: Nullable(Type.Array(Type.String())),
    not_before: Nullable(Timestamp),
    expires_at: Timestamp,
    first_used_at: Timestamp,
    revoked_at: Nullable(Timestamp),
  }),
);

const mandateExample = {
  mandate_id: 'mdt_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  jti: 'mdt_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  parent_mandate_id: null,
  depth: 1,
  kid: keyExample.kid,
  subject: 'agt_report_writer_v1',
  status: 'active',
  max_credits: 500,
  spent_credits: 120,
  reserved_credits: 25,
  remaining_credits: 355,
  max_credits_per_call: 100,
  occurrences: 6,
  max_occurrences: 20,
  allowed_payees: ['agt_pdf_parser_v1'],
  not_before: null,
  expires_at: '2026-12-01T00:00:00.000Z',
  first_used_at: '2026-11-02T00:00:00.000Z',
  revoked_at: null,
};

export const listMandates = defineOperation({
  id: 'listMandates',
  permission: 'view',
  method: 'get',
  path: '/v1/mandates',
  tag,
  summary: 'List mandates of your account that were used, newest first',
  description:
    'Includes mandates delegated from them. A delegated mandate also spends from every mandate above it in ' +
    'the chain.',
  auth: { scope: 'billing:read' },
  query: strictObject(pageQuery),
  responses: { 200: page(Mandate) },
  examples: { response: { items: [mandateExample], next_cursor: null, total: 1 } },
});

export const getMandate = defineOperation({
  id: 'getMandate',
  permission: 'view',
  method: 'get',
  path: '/v1/mandates/{mandate_id}',
  tag,
  summary: 'Get one of your mandates',
  auth: { scope: 'billing:read' },
  params: strictObject({ mandate_id: MandateId }),
  responses: { 200: Mandate },
  errors: ['not_found'],
  examples: { response: mandateExample },
});

export const revokeMandate = defineOperation({
  id: 'revokeMandate',
  permission: 'mandates',
  method: 'delete',
  path: '/v1/mandates/{mandate_id}',
  tag,
  summary: 'Revoke a mandate of your account permanently',
  description:
    'Identify the mandate by its `jti`; it need not have been used. Mandates delegated from it are revoked ' +
    'too. New calls under them are refused. Calls in progress are not affected. Revoking twice has no ' +
    'effect.',
  auth,
  params: strictObject({ mandate_id: MandateId }),
  responses: { 204: null },
});

export const mandateOperations = [
  registerMandateKey,
  listMandateKeys,
  getMandateJwks,
  removeMandateKey,
  listMandates,
  getMandate,
  revokeMandate,
];

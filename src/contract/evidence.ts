import { Type } from '@sinclair/typebox';
import { Nullable, strictObject } from './common';
import { Pricing } from './manifest';
import { defineOperation } from './operation';

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** A signed receipt of a finished call (docs/evidence.md). Hashes are SHA-256 over RFC 8785 canonical JSON. */
export const Evidence = strictObject({
  offer: strictObject({
    version: Type.String(),
    price: Pricing,
    manifest_sha256: Type.String(),
  }),
  authorisation: strictObject({
    max_cost_credits: Nullable(Type.Integer({ minimum: 0 })),
    mandate_jti: Type.Optional(Type.String()),
  }),
  receipt: strictObject({
    input_sha256: Sha256,
    output_sha256: Nullable(Sha256),
    schema_valid: Nullable(Type.Boolean()),
    ledger: Type.Array(Type.String()),
  }),
  signature: Type.String({
    description:
      'Compact JWS (ES256). Its payload is the canonical JSON of the other members, its protected header names the ' +
      'key (`kid` of /.well-known/jwks.json) and the `invocation_id`',
  }),
});

const Jwk = strictObject({
  kty: Type.Literal('EC'),
  crv: Type.Literal('P-256'),
  x: Type.String(),
  y: Type.String(),
  kid: Type.String({ description: 'RFC 7638 thumbprint' }),
  use: Type.Literal('sig'),
  alg: Type.Literal('ES256'),
});

export const getJwks = defineOperation({
  id: 'getJwks',
  method: 'get',
  path: '/.well-known/jwks.json',
  tag: 'Evidence',
  summary: 'Public keys that verify evidence',
  description: 'Retired keys stay here, so that what they signed can be verified for ever.',
  auth: 'public',
  responses: { 200: strictObject({ keys: Type.Array(Jwk) }) },
});

export const evidenceOperations = [getJwks];

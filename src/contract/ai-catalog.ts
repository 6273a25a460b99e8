import { Type } from '@sinclair/typebox';
import { AgentId, IfNoneMatch, named, strictObject } from './common';
import { defineOperation } from './operation';

const tag = 'Discovery';
const catalog = {
  mediaType: 'application/ai-catalog+json',
  description:
    'An AI Catalog: `specVersion`, `host` and `entries`, signed where the market has a `did:web` identity',
};

export const getAiCatalog = defineOperation({
  id: 'getAiCatalog',
  method: 'get',
  path: '/.well-known/ai-catalog.json',
  tag,
  summary: 'Get the AI Catalog of the market',
  description:
    'The server of the market, the first 50 listed agents as MCP servers and A2A agents, and the addresses of further pages. ' +
    'Each entry has a trust manifest that the market signs: the release it is about, and the trust report. While PUBLIC_READS ' +
    'is off, it has the server of the market alone.',
  auth: 'public',
  headers: IfNoneMatch,
  responses: { 200: catalog, 304: null },
});

export const getAiCatalogPage = defineOperation({
  id: 'getAiCatalogPage',
  method: 'get',
  path: '/v1/ai-catalog/{agent_id}',
  tag,
  summary: 'Get the page of the AI Catalog behind an agent',
  auth: { scope: 'agents:read', publicReads: true },
  params: strictObject({ agent_id: AgentId }),
  headers: IfNoneMatch,
  responses: { 200: catalog, 304: null },
  errors: ['not_found'],
});

const VerificationMethod = named(
  'DidVerificationMethod',
  strictObject({
    id: Type.String({ examples: ['did:web:market.example.com#wZ2Gd…'] }),
    type: Type.Literal('JsonWebKey2020'),
    controller: Type.String(),
    publicKeyJwk: strictObject({
      kty: Type.Literal('EC'),
      crv: Type.Literal('P-256'),
      x: Type.String(),
      y: Type.String(),
      alg: Type.Literal('ES256'),
      use: Type.Literal('sig'),
    }),
  }),
);

export const getDidDocument = defineOperation({
  id: 'getDidDocument',
  method: 'get',
  path: '/.well-known/did.json',
  tag,
  summary: 'Get the DID document of the market',
  description:
    'The keys of /.well-known/jwks.json as those of `did:web:<host>`, of which the active one signs catalogs. Responds with ' +
    '404 where PUBLIC_ORIGIN has a port or no DNS name.',
  auth: 'public',
  responses: {
    200: named(
      'DidDocument',
      strictObject({
        '@context': Type.Array(Type.String()),
        id: Type.String(),
        verificationMethod: Type.Array(VerificationMethod),
        assertionMethod: Type.Array(Type.String()),
      }),
    ),
  },
  errors: ['not_found'],
});

export const aiCatalogOperations = [getAiCatalog, getAiCatalogPage, getDidDocument] as const;

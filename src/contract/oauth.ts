import { Type } from '@sinclair/typebox';
import { AgentId, strictObject } from './common';
import { KeyId } from './keys';
import { oauthDeviceOperations } from './oauth-devices';
import { oauthGrantOperations } from './oauth-grants';
import { defineOperation } from './operation';

const tag = 'OAuth';
const html = { mediaType: 'text/html', description: 'A page for the person who decides.' };
const Uri = Type.String({ format: 'uri' });
const Words = Type.Array(Type.String());

const serverFields = {
  issuer: Uri,
  authorization_endpoint: Uri,
  device_authorization_endpoint: Uri,
  token_endpoint: Uri,
  registration_endpoint: Uri,
  revocation_endpoint: Uri,
  scopes_supported: Words,
  response_types_supported: Words,
  response_modes_supported: Words,
  grant_types_supported: Words,
  token_endpoint_auth_methods_supported: Words,
  revocation_endpoint_auth_methods_supported: Words,
  code_challenge_methods_supported: Words,
  authorization_response_iss_parameter_supported: Type.Boolean(),
  client_id_metadata_document_supported: Type.Boolean(),
  service_documentation: Uri,
};

export const oauthServerMetadata = defineOperation({
  id: 'oauthServerMetadata',
  method: 'get',
  path: '/.well-known/oauth-authorization-server',
  tag,
  summary: 'Metadata of the authorization server (RFC 8414)',
  auth: 'public',
  responses: { 200: strictObject(serverFields) },
});

export const openidConfiguration = defineOperation({
  id: 'openidConfiguration',
  method: 'get',
  path: '/.well-known/openid-configuration',
  tag,
  summary: 'The same metadata at the address of OpenID Connect Discovery, for clients that look only there',
  description:
    'The service issues no ID tokens: the scope `openid` does not exist, and the key set is empty.',
  auth: 'public',
  responses: {
    200: strictObject({
      ...serverFields,
      jwks_uri: Uri,
      subject_types_supported: Words,
      id_token_signing_alg_values_supported: Words,
    }),
  },
});

export const oauthKeys = defineOperation({
  id: 'oauthKeys',
  method: 'get',
  path: '/oauth/jwks',
  tag,
  summary: 'The empty key set that the OpenID form of the metadata has to name',
  auth: 'public',
  responses: { 200: strictObject({ keys: Type.Array(Type.Unknown(), { maxItems: 0 }) }) },
});

const ResourceMetadata = strictObject({
  resource: Uri,
  authorization_servers: Type.Array(Uri),
  scopes_supported: Words,
  bearer_methods_supported: Words,
  resource_name: Type.String(),
  resource_documentation: Uri,
});

export const oauthResourceMetadata = defineOperation({
  id: 'oauthResourceMetadata',
  method: 'get',
  path: '/.well-known/oauth-protected-resource/mcp/a/{agent_id}',
  tag,
  summary: "Metadata of an agent's MCP endpoint as a protected resource (RFC 9728)",
  auth: 'public',
  params: strictObject({ agent_id: AgentId }),
  responses: { 200: ResourceMetadata },
});

export const oauthA2aMetadata = defineOperation({
  id: 'oauthA2aMetadata',
  method: 'get',
  path: '/.well-known/oauth-protected-resource/v1/a2a/{agent_id}',
  tag,
  summary: "Metadata of an agent's A2A endpoints as a protected resource (RFC 9728)",
  auth: 'public',
  params: strictObject({ agent_id: AgentId }),
  responses: { 200: ResourceMetadata },
});

export const oauthMarketMetadata = defineOperation({
  id: 'oauthMarketMetadata',
  method: 'get',
  path: '/.well-known/oauth-protected-resource/mcp',
  tag,
  summary: "Metadata of the market's MCP endpoint as a protected resource (RFC 9728)",
  auth: 'public',
  responses: { 200: ResourceMetadata },
});

export const oauthRegister = defineOperation({
  id: 'oauthRegister',
  errorForm: 'oauth',
  method: 'post',
  path: '/oauth/register',
  tag,
  summary: 'Register a client (RFC 7591)',
  description:
    'Every client is public and uses PKCE; a secret is neither issued nor needed. Redirect URIs are https, http on ' +
    'a loopback host (with any port), or a scheme of the application. A client that no account uses ends after a ' +
    'day. Errors have the form of RFC 7591.',
  auth: 'public',
  bodyLimitBytes: 32 * 1024,
  rawBody: true,
  body: Type.Object(
    {
      client_name: Type.Optional(Type.String()),
      redirect_uris: Type.Array(Type.String(), { minItems: 1, maxItems: 10 }),
    },
    { additionalProperties: true },
  ),
  responses: {
    201: strictObject({
      client_id: Type.String(),
      client_id_issued_at: Type.Integer(),
      client_name: Type.String(),
      redirect_uris: Words,
      grant_types: Words,
      response_types: Words,
      token_endpoint_auth_method: Type.Literal('none'),
    }),
  },
  examples: {
    request: { client_name: 'Chat', redirect_uris: ['http://127.0.0.1:33418/callback'] },
    response: {
      client_id: 'ocl_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      client_id_issued_at: 1_793_577_600,
      client_name: 'Chat',
      redirect_uris: ['http://127.0.0.1:33418/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
  },
});

const authorizeText =
  'Parameters of RFC 6749 with PKCE (RFC 7636, `S256` only) and one `resource` (RFC 8707): the MCP endpoint of an ' +
  'agent. For an invalid request, the page shows the reason; the service does not redirect it.';

export const oauthAuthorize = defineOperation({
  id: 'oauthAuthorize',
  errorForm: 'page',
  method: 'get',
  path: '/oauth/authorize',
  tag,
  summary: 'Show the page on which a person signs in and permits a client to call an agent',
  description: authorizeText,
  auth: 'public',
  responses: { 200: html },
});

export const oauthDecide = defineOperation({
  id: 'oauthDecide',
  errorForm: 'page',
  method: 'post',
  path: '/oauth/authorize',
  tag,
  summary: 'Sign in, permit or refuse: the form of the page',
  description: authorizeText,
  auth: 'public',
  bodyLimitBytes: 16 * 1024,
  rawBody: 'form',
  responses: { 200: html, 303: null },
});

export const oauthToken = defineOperation({
  id: 'oauthToken',
  errorForm: 'oauth',
  method: 'post',
  path: '/oauth/token',
  tag,
  summary:
    'Exchange an authorization code, a refresh token or the secret of a program (form-encoded, RFC 6749)',
  description:
    'Grants `authorization_code`, `refresh_token`, `client_credentials` (a program, by HTTP Basic or `client_secret` in the ' +
    'form; no refresh token) and device code (RFC 8628), whose token is an API key. A refresh ' +
    'token gets the same successor for 30 s after its first use; a later use ends the grant. Errors have the form ' +
    'of RFC 6749.',
  auth: 'public',
  bodyLimitBytes: 16 * 1024,
  rawBody: 'form',
  responses: {
    200: strictObject({
      access_token: Type.String(),
      token_type: Type.String({ description: '`Bearer`, or `X-API-Key` for a device' }),
      expires_in: Type.Integer(),
      refresh_token: Type.Optional(Type.String()),
      scope: Type.String(),
      key_id: Type.Optional(KeyId),
      email: Type.Optional(Type.String()),
      organisation: Type.Optional(
        Type.String({ description: 'The organisation that the key of a device belongs to' }),
      ),
      organisation_name: Type.Optional(Type.String()),
    }),
  },
});

export const oauthRevoke = defineOperation({
  id: 'oauthRevoke',
  errorForm: 'oauth',
  method: 'post',
  path: '/oauth/revoke',
  tag,
  summary: 'Revoke a token (form-encoded, RFC 7009)',
  description: 'An access token ends alone, a refresh token with its grant. The key of a device is deleted.',
  auth: 'public',
  bodyLimitBytes: 16 * 1024,
  rawBody: 'form',
  responses: { 200: null },
});

export const oauthOperations = [
  oauthServerMetadata,
  openidConfiguration,
  oauthKeys,
  oauthResourceMetadata,
  oauthA2aMetadata,
  oauthMarketMetadata,
  oauthRegister,
  oauthAuthorize,
  oauthDecide,
  ...oauthDeviceOperations,
  oauthToken,
  oauthRevoke,
  ...oauthGrantOperations,
];

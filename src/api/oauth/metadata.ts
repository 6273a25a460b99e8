import { API_SCOPES, type ApiScope } from '../../domain/accounts/api-key';
import { DEVICE_GRANT } from '../../domain/accounts/device-login';
import { MARKET_SCOPES } from '../../domain/accounts/oauth-grant';
import { type Audience, resourceOf, type TokenProtocol } from '../../services/oauth/resource';

const DOCUMENTATION = '/openapi.json';

/** Metadata of the authorization server (RFC 8414, RFC 9207). `origin` is the issuer. */
export function serverMetadata(origin: string) {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/oauth/authorize`,
    device_authorization_endpoint: `${origin}/oauth/device_authorization`,
    token_endpoint: `${origin}/oauth/token`,
    registration_endpoint: `${origin}/oauth/register`,
    revocation_endpoint: `${origin}/oauth/revoke`,
    scopes_supported: [...API_SCOPES],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_GRANT],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: `${origin}${DOCUMENTATION}`,
  };
}

/** The same with the fields that OpenID Connect Discovery requires. No ID token is ever issued. */
export function openidMetadata(origin: string) {
  return {
    ...serverMetadata(origin),
    jwks_uri: `${origin}/oauth/jwks`,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
}

/** The scopes that a client of an endpoint asks for. */
export const scopesOf = (audience: Audience | undefined): readonly ApiScope[] =>
  audience === null ? MARKET_SCOPES : ['agents:invoke'];

/** Metadata of an endpoint of an agent or of the market as a protected resource (RFC 9728). */
export function resourceMetadata(origin: string, audience: Audience, protocol: TokenProtocol = 'mcp') {
  return {
    resource: resourceOf(origin, audience, protocol),
    authorization_servers: [origin],
    scopes_supported: [...scopesOf(audience)],
    bearer_methods_supported: ['header'],
    resource_name: audience === null ? 'The market of agents' : `Agent ${audience}`,
    resource_documentation: `${origin}${DOCUMENTATION}`,
  };
}

import { API_SCOPES } from '../../domain/accounts/api-key';
import { DEVICE_GRANT } from '../../domain/accounts/device-login';
import { resourceOf } from '../../services/oauth/resource';

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
    grant_types_supported: ['authorization_code', 'refresh_token', DEVICE_GRANT],
    token_endpoint_auth_methods_supported: ['none'],
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

/** Metadata of an agent's MCP endpoint as a protected resource (RFC 9728). */
export function resourceMetadata(origin: string, agentId: string) {
  return {
    resource: resourceOf(origin, agentId),
    authorization_servers: [origin],
    scopes_supported: ['agents:invoke'],
    bearer_methods_supported: ['header'],
    resource_name: `Agent ${agentId}`,
    resource_documentation: `${origin}${DOCUMENTATION}`,
  };
}

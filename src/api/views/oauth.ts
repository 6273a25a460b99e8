import { proofOfDomain } from '../../domain/accounts/single-sign-on';
import type { Provider } from '../../services/sso/identity-providers';
import { isProgramId } from '../../domain/accounts/oauth-grant';
import { unitsToCredits } from '../../domain/ledger/money';
import type { OauthClientInfo } from '../../services/oauth/oauth-clients';
import type { OauthGrant } from '../../services/oauth/oauth-grants';
import type { IssuedProgram } from '../../services/oauth/oauth-programs';
import { limitsView } from './accounts';

/** The answer to a registration (RFC 7591, section 3.2.1). */
export function registrationView({ clientId, name, redirectUris }: OauthClientInfo) {
  return {
    client_id: clientId,
    client_id_issued_at: Math.floor(Date.now() / 1_000),
    client_name: name,
    redirect_uris: [...redirectUris],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none' as const,
  };
}

export function grantView(grant: OauthGrant) {
  const isProgram = isProgramId(grant.clientId);
  return {
    kind: isProgram ? ('program' as const) : ('application' as const),
    grant_id: grant.grantId,
    client_id: grant.clientId,
    client_name: grant.clientName,
    redirect_host: grant.redirectHost,
    agent_id: grant.agentId ?? '*',
    scopes: grant.scopes,
    ...limitsView(grant.limits),
    pinned_agents: grant.limits.pinnedAgents && [...grant.limits.pinnedAgents],
    spent_credits: unitsToCredits(grant.spentUnits),
    created_at: grant.createdAt.toISOString(),
    expires_at: grant.expiresAt.toISOString(),
    last_used_at: grant.lastUsedAt?.toISOString() ?? null,
  };
}

/** A program with its secret, which no other answer shows. */
export const programView = ({ clientSecret, ...grant }: IssuedProgram) => ({
  ...grantView(grant),
  client_secret: clientSecret,
});

export function identityProviderView(provider: Provider, redirectUri: string) {
  return {
    provider_id: provider.providerId,
    name: provider.name,
    issuer: provider.issuer,
    client_id: provider.clientId,
    redirect_uri: redirectUri,
    default_role: provider.defaultRole,
    enabled: provider.enabled,
    domains: provider.domains.map(({ domain, token, verifiedAt }) => {
      const { name, value } = proofOfDomain(domain, token);
      return { domain, txt_name: name, txt_value: value, verified_at: verifiedAt?.toISOString() ?? null };
    }),
    created_at: provider.createdAt.toISOString(),
  };
}

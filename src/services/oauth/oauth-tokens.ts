/**
 * The token and revocation endpoints. A code is used once, and a refresh token until 30 s after its first use. A later
 * use ends the grant, because one of the two uses is a theft (RFC 6749, section 4.1.2; RFC 9700, section 4.14; ADR
 * 0194).
 */
import { API_SCOPES, type ApiScope } from '../../domain/accounts/api-key';
import {
  ACCESS_TOKEN_SECONDS,
  REFRESH_GRACE_SECONDS,
  REFRESH_TOKEN_SECONDS,
  REPLAY_SECONDS,
} from '../../domain/accounts/oauth-grant';
import { answerTokenRequest, OauthFailure, type OauthStore } from '../../kit/oauth/oauth-server';
import type { DbPool } from '../../stores/db';
import { useSecret } from '../../stores/oauth/oauth-secrets';
import type { OauthClients } from './oauth-clients';
import { type FoundSecret, newSecret, type OauthGrants, secretSha256 } from './oauth-grants';
import type { OauthPrograms } from './oauth-programs';
import { audienceOfResource } from './resource';

export interface OauthTokensDeps {
  pool: DbPool;
  grants: OauthGrants;
  clients: Pick<OauthClients, 'isKnown'>;
  programs: Pick<OauthPrograms, 'find' | 'issue'>;
  /** The public origin of the service. */
  origin: string;
}

type Form = Readonly<Record<string, string>>;

export function createOauthTokens(deps: OauthTokensDeps) {
  const lifetimes = { accessSeconds: ACCESS_TOKEN_SECONDS, refreshSeconds: REFRESH_TOKEN_SECONDS };
  return {
    /** Answers a token request. Throws `OauthFailure`, and `rate_limited` for a program. */
    exchange: (form: Form, from: TokenRequester): Promise<Record<string, unknown>> =>
      answerTokenRequest(
        { ...storeFor(deps, form), ...programsFor(deps, form, from) },
        { form: withKnownScopes(form), authorization: from.authorization },
        lifetimes,
      ),

    /**
     * Revokes a token of the client (RFC 7009): an access token alone, a refresh token with its grant. A token that is
     * unknown, or of another client, changes nothing.
     */
    async revoke({ token, client_id: clientId }: Form): Promise<void> {
      if (token === undefined) throw new OauthFailure('invalid_request', 'The parameter token is missing.');
      const found = await deps.grants.find(token, ['access', 'refresh']);
      if (!found || found.clientId !== clientId) return;
      if (found.kind === 'access') await deps.grants.endToken(token);
      else await deps.grants.end(found.grantId);
    },
  };
}

export type OauthTokens = ReturnType<typeof createOauthTokens>;

/** Who sends a token request. */
interface TokenRequester {
  /** The header `Authorization`, by which a program may present its secret. */
  authorization: string | undefined;
  network: string;
}

/** What a token request of a program reads and writes. */
function programsFor(
  { programs }: OauthTokensDeps,
  form: Form,
  { network }: TokenRequester,
): Pick<OauthStore, 'findProgram' | 'saveAccessToken'> {
  return {
    findProgram: (clientId, secret) =>
      programs.find({ clientId, secret }, { resource: form['resource'], network }),
    saveAccessToken: (grantId, accessToken, scopes) =>
      programs.issue(grantId, accessToken, scopes as readonly ApiScope[]),
  };
}

/** What one token request reads and writes. */
function storeFor(
  { pool, grants, clients, origin }: OauthTokensDeps,
  form: Form,
): Omit<OauthStore, 'findProgram' | 'saveAccessToken'> {
  async function find(secret: string, kind: 'code' | 'refresh'): Promise<FoundSecret | undefined> {
    const found = await grants.find(secret, [kind]);
    if (!found) return undefined;
    const graceSeconds = kind === 'refresh' ? REFRESH_GRACE_SECONDS : 0;
    if (found.usedForSeconds !== null && found.usedForSeconds >= graceSeconds) {
      await grants.end(found.grantId);
      return undefined;
    }
    if (form['resource'] !== undefined && audienceOfResource(origin, form['resource']) !== found.agentId)
      throw new OauthFailure('invalid_target', 'The grant is for another resource.');
    return found;
  }

  async function useCode(code: string): Promise<boolean> {
    if (await useSecret(pool, secretSha256(code), REPLAY_SECONDS)) return true;
    // A concurrent request used it first.
    const found = await grants.find(code, ['code']);
    if (found) await grants.end(found.grantId);
    return false;
  }

  return {
    async findClient(clientId) {
      return (await clients.isKnown(clientId)) ? { clientId, redirectUris: [] } : undefined;
    },
    async findCode(code) {
      const found = await find(code, 'code');
      if (!found) return undefined;
      // OAuth 2.1 has no redirect_uri here, because PKCE binds the code; one that is sent must be the right one.
      const redirectUri = form['redirect_uri'] === undefined ? '' : (found.redirectUri ?? '');
      return { ...found, redirectUri, codeChallenge: found.codeChallenge ?? '' };
    },
    useCode,
    findRefreshToken: (token) => find(token, 'refresh'),
    newAccessToken: () => newSecret('access'),
    saveTokens: ({ accessScopes, refreshScopes, ...tokens }) =>
      grants.issue({
        ...tokens,
        usedRefreshToken: form['grant_type'] === 'refresh_token' ? form['refresh_token'] : undefined,
        accessScopes: accessScopes as readonly ApiScope[],
        refreshScopes: refreshScopes as readonly ApiScope[],
      }),
  };
}

/**
 * The form without scopes that this service does not have, such as `offline_access`, which clients add because another
 * service needs it. A scope of which nothing is left stays as it is, and is refused, unless it was `offline_access`
 * alone.
 */
function withKnownScopes(form: Form): Form {
  const wanted = (form['scope'] ?? '')
    .split(' ')
    .filter((scope) => scope !== '' && scope !== 'offline_access');
  const known = wanted.filter((scope) => API_SCOPES.some((each) => each === scope));
  const { scope: _scope, ...others } = form;
  if (wanted.length === 0) return others;
  return known.length === 0 ? form : { ...others, scope: known.join(' ') };
}

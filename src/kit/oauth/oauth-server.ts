/**
 * The OAuth 2.1 grammar of authorization codes and tokens, by `@node-oauth/oauth2-server` (ADR 0082): which parameters
 * a request needs, PKCE with S256, who may redeem what, and the form of answers and errors. `OauthStore` decides what
 * is stored.
 */
import OAuth2Server from '@node-oauth/oauth2-server';

/** A public client as the token endpoint sees it: it has no secret. Programs have one. */
export interface OauthClient {
  clientId: string;
  redirectUris: readonly string[];
}

/** The grant of a code or refresh token. */
export interface IssuedFor {
  grantId: string;
  clientId: string;
  scopes: readonly string[];
  expiresAt: Date;
}

export interface OauthStore {
  findClient: (clientId: string) => Promise<OauthClient | undefined>;
  findCode: (
    code: string,
  ) => Promise<(IssuedFor & { redirectUri: string; codeChallenge: string }) | undefined>;
  /** Marks the code as used. Returns false if it was used before. */
  useCode: (code: string) => Promise<boolean>;
  /**
   * Finds a refresh token that may be used. It is used up by `saveTokens`, so that a refused request does not cost it.
   */
  findRefreshToken: (token: string) => Promise<IssuedFor | undefined>;
  /**
   * Stores new tokens of a grant and uses the refresh token of the request up. Returns the refresh token of the
   * response; undefined if the grant has ended meanwhile.
   */
  saveTokens: (tokens: NewTokens) => Promise<string | undefined>;
  newAccessToken: () => string;
  /** Finds the program of a client id and its secret. */
  findProgram: (
    clientId: string,
    secret: string,
  ) => Promise<{ grantId: string; scopes: readonly string[] } | undefined>;
  /** Stores the access token of a program. */
  saveAccessToken: (grantId: string, accessToken: string, scopes: readonly string[]) => Promise<void>;
}

export interface TokenRequest {
  form: Readonly<Record<string, string>>;
  /** The header `Authorization`. It counts for programs alone. */
  authorization: string | undefined;
}

const CLIENT_CREDENTIALS = 'client_credentials';

export interface NewTokens {
  grantId: string;
  accessToken: string;
  /** Scopes of the access token, which a refresh may have narrowed. */
  accessScopes: readonly string[];
  refreshScopes: readonly string[];
}

/** A failure in the form of RFC 6749, section 5.2. */
export class OauthFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

export interface Lifetimes {
  accessSeconds: number;
  refreshSeconds: number;
}

/** What the library carries from a code or refresh token to the new tokens. */
interface Bearer {
  grantId: string;
  scopes: readonly string[];
}

type Model = OAuth2Server.AuthorizationCodeModel &
  OAuth2Server.RefreshTokenModel &
  OAuth2Server.ClientCredentialsModel;

/**
 * Answers a token request (grants `authorization_code`, `refresh_token` and `client_credentials`) with the body of
 * RFC 6749, section 5.1. Throws `OauthFailure`, or what the store throws.
 */
export async function answerTokenRequest(
  store: OauthStore,
  { form, authorization }: TokenRequest,
  lifetimes: Lifetimes,
): Promise<Record<string, unknown>> {
  const isProgram = form['grant_type'] === CLIENT_CREDENTIALS;
  const server = new OAuth2Server({ model: modelOf(store, isProgram) });
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': '1',
    ...(isProgram && authorization !== undefined && { authorization }),
  };
  const request = new OAuth2Server.Request({ headers, method: 'POST', query: {}, body: { ...form } });
  const response = new OAuth2Server.Response({ headers: {} });
  try {
    await server.token(request, response, {
      accessTokenLifetime: lifetimes.accessSeconds,
      refreshTokenLifetime: lifetimes.refreshSeconds,
      requireClientAuthentication: { authorization_code: false, refresh_token: false },
    });
  } catch (error) {
    throw failureOf(error, isProgram);
  }
  return response.body as Record<string, unknown>;
}

function failureOf(error: unknown, isProgram: boolean): unknown {
  if (!(error instanceof OAuth2Server.OAuthError)) return error;
  const { inner } = error as { inner?: unknown };
  // The library wraps what a store throws.
  if (inner instanceof OauthFailure) return inner;
  if (error instanceof OAuth2Server.ServerError) return inner ?? error;
  const isRefused = isProgram && error.name === 'invalid_client';
  return new OauthFailure(error.name, error.message, isRefused ? 401 : error.code);
}

function modelOf(store: OauthStore, isProgram: boolean): Model {
  const clientOf = ({ clientId, redirectUris }: OauthClient): OAuth2Server.Client => ({
    id: clientId,
    redirectUris: [...redirectUris],
    grants: ['authorization_code', 'refresh_token'],
  });
  const issued = ({ grantId, clientId, scopes }: IssuedFor) => ({
    scope: [...scopes],
    client: clientOf({ clientId, redirectUris: [] }),
    user: { grantId, scopes } satisfies Bearer,
  });
  return {
    async getClient(clientId, secret) {
      if (isProgram) {
        const program = await store.findProgram(clientId, secret);
        return program && { id: clientId, grants: [CLIENT_CREDENTIALS], ...program };
      }
      const client = await store.findClient(clientId);
      return client && clientOf(client);
    },
    getUserFromClient: ({ grantId, scopes }) =>
      Promise.resolve({ grantId: grantId as string, scopes: scopes as string[] } satisfies Bearer),
    validateScope(user, _client, wanted) {
      const { scopes } = user as unknown as Bearer;
      const isPermitted = wanted?.every((scope) => scopes.includes(scope)) ?? true;
      return Promise.resolve(isPermitted ? (wanted ?? [...scopes]) : false);
    },
    async getAuthorizationCode(authorizationCode) {
      const code = await store.findCode(authorizationCode);
      if (!code) return undefined;
      const { redirectUri, codeChallenge, expiresAt } = code;
      const challenge = { codeChallenge, codeChallengeMethod: 'S256' };
      return { authorizationCode, expiresAt, redirectUri, ...challenge, ...issued(code) };
    },
    revokeAuthorizationCode: ({ authorizationCode }) => store.useCode(authorizationCode),
    async getRefreshToken(refreshToken) {
      const token = await store.findRefreshToken(refreshToken);
      if (!token) return undefined;
      // The model of the library has an access token here, which nothing reads.
      return { accessToken: '', refreshToken, refreshTokenExpiresAt: token.expiresAt, ...issued(token) };
    },
    revokeToken: () => Promise.resolve(true),
    generateAccessToken: () => Promise.resolve(store.newAccessToken()),
    generateRefreshToken: () => Promise.resolve(''),
    async saveToken(token, client, user) {
      const { grantId, scopes } = user as unknown as Bearer;
      const { accessToken, scope = [] } = token;
      if (isProgram) {
        await store.saveAccessToken(grantId, accessToken, scope);
        return { ...token, client, user };
      }
      const refreshToken = await store.saveTokens({
        grantId,
        accessToken,
        accessScopes: scope,
        refreshScopes: scopes,
      });
      if (refreshToken === undefined) throw new OauthFailure('invalid_grant', 'The grant has ended.');
      return { ...token, refreshToken, client, user };
    },
    getAccessToken: () => Promise.resolve(undefined),
    saveAuthorizationCode: () => Promise.resolve(undefined),
  };
}

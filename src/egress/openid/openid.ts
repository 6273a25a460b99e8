/**
 * OpenID Connect with identity providers that organisations chose. `openid-client` speaks the protocol: discovery, the
 * authorization code flow with PKCE, and the checks of the ID token. Each of its requests goes through egress, because
 * every address is chosen by the organisation or by its provider.
 */
import * as openid from 'openid-client';
import type { ServerMetadata } from 'openid-client';
import { isRecord } from '../../domain/json-value';
import { parsedUrl } from '../../kit/parsed-url';
import type { Egress } from '../agent-call';
import { EgressError, type EgressErrorKind } from '../egress-error';

export type { ServerMetadata };

/** A client that is registered at a provider. */
export interface ProviderClient {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** What binds an answer of the provider to the browser that began the login. */
export interface LoginChecks {
  state: string;
  nonce: string;
  verifier: string;
}

/** The claims of a person, of a valid ID token or, for what is missing in it, of the UserInfo endpoint. */
export interface ProvenPerson {
  subject: string;
  email: string | undefined;
  emailVerified: boolean;
  name: string | undefined;
}

/** A provider that cannot be used, or an answer of it that is refused. The message names the reason for people. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
}

/** Deadline of all requests of one step of a login. */
const STEP_MS = 10_000;
/** Discovery documents, keys and tokens are a few KB; the limit allows for large key sets. */
const MAX_ANSWER_BYTES = 256 * 1024;
const SCOPE = 'openid email profile';

/** Speaks OpenID Connect with providers. All functions throw `ProviderError`. */
export function createOpenid(egress: Pick<Egress, 'post'>, stepMs = STEP_MS) {
  /** Runs a step of the protocol with a deadline over all of its requests. */
  async function step<T>(work: (send: openid.CustomFetch) => Promise<T>): Promise<T> {
    const deadlineMs = Date.now() + stepMs;
    try {
      return await work((url, init) => sendThrough(egress, deadlineMs, url, init));
    } catch (error) {
      throw error instanceof ProviderError ? error : new ProviderError(reasonOf(error), { cause: error });
    }
  }

  return {
    /** Reads the metadata of a provider. */
    discover: (client: ProviderClient): Promise<ServerMetadata> =>
      step(async (send) => {
        const found = await openid.discovery(new URL(client.issuer), client.clientId, undefined, undefined, {
          ...options(send, stepMs),
          algorithm: 'oidc',
        });
        return checked(client.issuer, found.serverMetadata());
      }),

    ...createFlow(step, stepMs),

    /** Reads the keys of a provider, for a test of the connection. Returns their number. */
    keys: (server: ServerMetadata): Promise<number> =>
      step(async (send) => {
        const { jwks_uri: address } = server;
        if (address === undefined) throw new ProviderError('its discovery document names no jwks_uri');
        const answer = await send(address, {
          method: 'GET',
          headers: { accept: 'application/json' },
          body: null,
          redirect: 'manual',
        });
        const found: unknown = answer.status === 200 ? await answer.json() : undefined;
        if (!isRecord(found) || !Array.isArray(found['keys']) || found['keys'].length === 0)
          throw new ProviderError('its jwks_uri has no keys');
        return found['keys'].length;
      }),
  };
}

/** The authorization code flow with PKCE. */
function createFlow(step: <T>(work: (send: openid.CustomFetch) => Promise<T>) => Promise<T>, stepMs: number) {
  return {
    /** The address at the provider to which the browser goes. */
    authorizationUrl: (
      { client, server }: { client: ProviderClient; server: ServerMetadata },
      checks: LoginChecks,
      more: { redirectUri: string; loginHint: string | undefined },
    ): Promise<string> =>
      step(async (send) => {
        const parameters = {
          scope: SCOPE,
          redirect_uri: more.redirectUri,
          state: checks.state,
          nonce: checks.nonce,
          code_challenge: await openid.calculatePKCECodeChallenge(checks.verifier),
          code_challenge_method: 'S256',
          ...(more.loginHint !== undefined && { login_hint: more.loginHint }),
        };
        return openid.buildAuthorizationUrl(configOf(server, client, send, stepMs), parameters).href;
      }),

    /**
     * Exchanges the code in the address to which the provider sent the browser, and checks the ID token: signature,
     * issuer, audience, times and nonce.
     */
    redeem: (
      { client, server }: { client: ProviderClient; server: ServerMetadata },
      checks: LoginChecks,
      address: URL,
    ): Promise<ProvenPerson> =>
      step(async (send) => {
        const config = configOf(server, client, send, stepMs);
        const tokens = await openid.authorizationCodeGrant(config, address, {
          pkceCodeVerifier: checks.verifier,
          expectedState: checks.state,
          expectedNonce: checks.nonce,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw new ProviderError('its answer has no ID token');
        if (claims.email !== undefined || server.userinfo_endpoint === undefined)
          return personOf(claims.sub, claims);
        return personOf(claims.sub, await openid.fetchUserInfo(config, tokens.access_token, claims.sub));
      }),
  };
}

export type Openid = ReturnType<typeof createOpenid>;

const options = (send: openid.CustomFetch, stepMs: number) => ({
  [openid.customFetch]: send,
  timeout: Math.ceil(stepMs / 1_000) + 1,
});

/** The library checks the signature of an ID token from the token endpoint only on request. */
function configOf(server: ServerMetadata, client: ProviderClient, send: openid.CustomFetch, stepMs: number) {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const authenticate = methods.includes('client_secret_basic')
    ? openid.ClientSecretBasic(client.clientSecret)
    : openid.ClientSecretPost(client.clientSecret);
  const config = new openid.Configuration(server, client.clientId, undefined, authenticate);
  config[openid.customFetch] = send;
  config.timeout = Math.ceil(stepMs / 1_000) + 1;
  openid.enableNonRepudiationChecks(config);
  return config;
}

/** Refuses metadata of another issuer (an issuer for any tenant, too), and endpoints without TLS. */
function checked(issuer: string, server: ServerMetadata): ServerMetadata {
  if (server.issuer.includes('{') || new URL(server.issuer).href !== new URL(issuer).href)
    throw new ProviderError(`its discovery document is of another issuer than ${issuer}`);
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    const address = server[name];
    if (address === undefined || parsedUrl(address)?.protocol !== 'https:')
      throw new ProviderError(`its discovery document needs an https address as ${name}`);
  }
  return structuredClone({ ...server });
}

function personOf(subject: string, claims: Readonly<Record<string, unknown>>): ProvenPerson {
  const { email, name } = claims;
  return {
    subject,
    email: typeof email === 'string' ? email : undefined,
    emailVerified: claims['email_verified'] === true,
    name: typeof name === 'string' ? name : undefined,
  };
}

async function sendThrough(
  egress: Pick<Egress, 'post'>,
  deadlineMs: number,
  url: string,
  init: openid.CustomFetchOptions,
): Promise<Response> {
  const { method, body, signal } = init;
  const headers = new Headers(init.headers);
  const kept = ['accept', 'authorization', 'content-type'].flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const answer = await egress.post({
    url,
    method: method === 'POST' ? 'POST' : 'GET',
    body: body instanceof URLSearchParams ? Buffer.from(body.toString()) : undefined,
    headers: Object.fromEntries(kept),
    signal,
    deadlineMs,
    maxResponseBytes: MAX_ANSWER_BYTES,
  });
  return new Response(new Uint8Array(answer.body), {
    status: answer.status,
    headers: { 'content-type': answer.contentType },
  });
}

const OF_REQUESTS: Record<EgressErrorKind, string> = {
  unsafe_url: 'one of its addresses is not public, or not allowed',
  unreachable: 'it does not answer',
  tls: 'its certificate is not valid',
  timeout: `it did not answer within ${STEP_MS / 1_000} seconds`,
  redirect: 'it answers with a redirect where none is allowed',
  too_large: `one of its answers has more than ${MAX_ANSWER_BYTES / 1_024} KiB`,
  bad_response: 'one of its answers is not valid',
  aborted: 'the request was aborted',
};

/** Why a step failed, without text of the provider except the code of an OAuth error. */
function reasonOf(error: unknown): string {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 6; cause = cause.cause, depth += 1) {
    if (cause instanceof EgressError) return OF_REQUESTS[cause.kind];
  }
  if (error instanceof openid.AuthorizationResponseError)
    return `it refused the login: ${codeOf(error.error)}`;
  if (error instanceof openid.ResponseBodyError) return `it refused the code: ${codeOf(error.error)}`;
  const { code } = error as { code?: unknown };
  return REASONS[String(code)] ?? 'one of its answers is not valid';
}

const codeOf = (text: string) => (/^[a-z_]{1,60}$/.test(text) ? text : 'error');

const REASONS: Readonly<Record<string, string>> = {
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'its ID token has expired, or is not valid yet',
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: 'its ID token is for another client, issuer or login',
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: 'its answer is of another issuer',
  OAUTH_KEY_SELECTION_FAILED: 'its ID token is signed by a key that it does not publish',
  OAUTH_INVALID_SIGNATURE: 'the signature of its ID token is wrong',
  OAUTH_TIMEOUT: OF_REQUESTS.timeout,
  OAUTH_PARSE_ERROR: 'one of its answers is not JSON',
  OAUTH_INVALID_RESPONSE: 'its answer is not valid for this login',
};

/** An OAuth client and a person with a browser, as far as HTTP goes. */
import { createHash, randomBytes } from 'node:crypto';
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { TestMarket } from '../market';

type Where = Pick<TestMarket, 'url' | 'config'>;

/** The public origin of a market, which tests do not listen on. */
export const originOf = ({ config }: Where) => new URL(config.PUBLIC_ORIGIN).origin;

/** `fetch` for clients that know the market by its public origin. */
export function throughOrigin(market: Where): typeof fetch {
  return (input, init) => {
    const address = input instanceof Request ? input.url : String(input);
    return fetch(address.replace(originOf(market), market.url), init);
  };
}

export const resourceOf = (market: Where, agentId: string) => `${originOf(market)}/mcp/a/${agentId}`;

/** The state of one official client: what it would keep on disk. */
export class TestProvider implements OAuthClientProvider {
  information: StoredOAuthClientInformation | undefined;
  stored: StoredOAuthTokens | undefined;
  verifier = '';
  discovered: OAuthDiscoveryState | undefined;
  /** The address to which the client redirected its user. */
  asked: URL | undefined;

  declare readonly clientMetadataUrl?: string;

  constructor(
    readonly redirectUrl = 'http://127.0.0.1:41999/callback',
    readonly name = 'Test chat',
    clientMetadataUrl?: string,
  ) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    return { client_name: this.name, redirect_uris: [this.redirectUrl] };
  }

  clientInformation = () => this.information;
  saveClientInformation(information: StoredOAuthClientInformation): void {
    this.information = information;
  }
  tokens = () => this.stored;
  saveTokens(tokens: StoredOAuthTokens): void {
    this.stored = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.asked = url;
  }
  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }
  codeVerifier = () => this.verifier;
  state = () => 'a state';
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.discovered = state;
  }
  discoveryState = () => this.discovered;
  invalidateCredentials(): void {
    this.stored = undefined;
  }
}

export interface PageAnswer {
  status: number;
  headers: Headers;
  html: string;
}

/** A browser that keeps cookies and sends forms. */
export function openBrowser(market: Where, cookie = '') {
  const cookies = new Map<string, string>();
  for (const part of cookie.split('; ').filter(Boolean)) cookies.set(part.split('=')[0] ?? '', part);

  async function send(address: string, init: RequestInit = {}): Promise<PageAnswer> {
    const headers = { ...(init.headers as Record<string, string>), cookie: [...cookies.values()].join('; ') };
    const url = new URL(address, market.url);
    const target = market.url + url.pathname + url.search;
    const response = await fetch(target, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const part = line.split(';')[0] ?? '';
      cookies.set(part.split('=')[0] ?? '', part);
    }
    return { status: response.status, headers: response.headers, html: await response.text() };
  }

  return {
    cookies,
    open: (address: string | URL) => send(String(address)),
    /** Sends the form of a page, with the hidden token that the page contains unless `fields` has another. */
    submit(page: PageAnswer, address: string | URL, fields: Record<string, string>) {
      const csrf = fields['csrf'] ?? csrfOf(page);
      const body = new URLSearchParams({ ...(csrf !== undefined && { csrf }), ...fields });
      return send(String(address), { method: 'POST', body });
    },
  };
}

export const csrfOf = ({ html }: PageAnswer) => /name="csrf" value="([\w-]+)"/.exec(html)?.[1];

/** Where a page sends the person by itself, unescaped. */
export function nextOf({ html }: PageAnswer): URL {
  const address = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(html)?.[1];
  if (address === undefined) throw new Error(`no way back: ${html}`);
  return new URL(address.replaceAll('&amp;', '&'));
}

/** Lets the person permit what the client asked for. Returns the code, or the address with the error. */
export async function permit(
  market: Where,
  person: { cookie: string },
  address: string | URL,
  fields: Record<string, string> = {},
): Promise<URL> {
  const browser = openBrowser(market, person.cookie);
  const page = await browser.open(address);
  const answer = await browser.submit(page, address, { action: 'allow', credit_cap: '500', ...fields });
  return nextOf(answer);
}

export function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export interface RawClient {
  clientId: string;
  redirectUri: string;
}

export interface Answered {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

export async function post(
  market: Where,
  path: string,
  body: object | Record<string, string>,
  type = 'form',
): Promise<Answered> {
  const isForm = type === 'form';
  const response = await fetch(market.url + path, {
    method: 'POST',
    headers: { 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' },
    body: isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

export async function registerClient(
  market: Where,
  metadata: Record<string, unknown> = {},
): Promise<RawClient> {
  const redirectUri = 'https://chat.example/callback';
  const { status, body } = await post(
    market,
    '/oauth/register',
    { client_name: 'Raw client', redirect_uris: [redirectUri], ...metadata },
    'json',
  );
  if (status !== 201) throw new Error(`register: ${status} ${JSON.stringify(body)}`);
  const [first = ''] = body['redirect_uris'] as string[];
  return { clientId: body['client_id'] as string, redirectUri: first };
}

/** The address of an authorization request; a field of `more` that is undefined takes a parameter away. */
export function authorizeAddress(
  { clientId, redirectUri }: RawClient,
  resource: string,
  challenge: string,
  more: Record<string, string | undefined> = {},
): string {
  const params: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource,
    state: 'xyz',
    ...more,
  };
  const set = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/oauth/authorize?${new URLSearchParams(set).toString()}`;
}

/**
 * Reads what a client says about itself: a registration (RFC 7591) or a client metadata document. Everything in it is
 * untrusted. Only the name and the redirect addresses are kept; addresses of logos and terms are not, because nothing
 * fetches or shows them.
 */
import { OauthFailure } from '../../kit/oauth/oauth-server';
import { parsedUrl } from '../../kit/parsed-url';

export interface ClientMetadata {
  name: string;
  redirectUris: string[];
}

const MAX_REDIRECT_URIS = 10;
const MAX_URI_LENGTH = 2_048;
/** Longer names of hosts do not exist; the consent page shows the host, and a grant stores it. */
const MAX_HOST_LENGTH = 300;
const MAX_NAME_LENGTH = 80;
const UNNAMED = 'Unnamed client';
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);
/** Schemes that a browser executes or reads itself; an application cannot claim them. */
const FORBIDDEN_SCHEMES = new Set([
  'about:',
  'blob:',
  'data:',
  'file:',
  'filesystem:',
  'ftp:',
  'javascript:',
  'mailto:',
  'tel:',
  'vbscript:',
  'view-source:',
  'ws:',
  'wss:',
]);
const SHARED_SECRETS = new Set(['client_secret_basic', 'client_secret_post', 'client_secret_jwt']);
const PRINTABLE = /^[\x21-\x7e]+$/;
/** Control characters, and characters that change the direction or width of what follows. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]+/gu;

/**
 * Reads metadata; a member that is null is omitted. Throws `OauthFailure` `invalid_redirect_uri` or
 * `invalid_client_metadata`.
 */
export function readClientMetadata(document: unknown): ClientMetadata {
  const fields = fieldsOf(document);
  requireList(fields['grant_types'], 'grant_types', 'authorization_code');
  requireList(fields['response_types'], 'response_types', 'code');
  return { name: nameOf(fields['client_name']), redirectUris: redirectsOf(fields['redirect_uris']) };
}

/** Like `readClientMetadata`, for the document at the URL `clientId`, which must name itself and have no secret. */
export function readClientDocument(clientId: string, document: unknown): ClientMetadata {
  const metadata = readClientMetadata(document);
  const fields = fieldsOf(document);
  if (fields['client_id'] !== clientId)
    throw invalid('The client_id in the client metadata document is not the URL of the document.');
  const method = fields['token_endpoint_auth_method'];
  if ('client_secret' in fields || (typeof method === 'string' && SHARED_SECRETS.has(method)))
    throw invalid('A client metadata document cannot have a client secret.');
  return metadata;
}

function fieldsOf(document: unknown): Record<string, unknown> {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw invalid('The client metadata must be a JSON object.');
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null));
}

/** True if `wanted` is a registered address, or differs from a registered loopback address in its port only. */
export function isRegisteredRedirect(registered: readonly string[], wanted: string): boolean {
  if (registered.includes(wanted)) return true;
  if (wanted.length > MAX_URI_LENGTH || !PRINTABLE.test(wanted)) return false;
  const portless = withoutLoopbackPort(wanted);
  return portless !== undefined && registered.some((each) => withoutLoopbackPort(each) === portless);
}

/** The host that a redirect leads to, for people: `claude.ai`, `127.0.0.1`, or `the application cursor:`. */
export function redirectHost(uri: string): string {
  const { protocol, host, hostname } = new URL(uri);
  if (protocol === 'https:') return host;
  return protocol === 'http:' ? hostname : `the application ${protocol}`;
}

function invalid(message: string): OauthFailure {
  return new OauthFailure('invalid_client_metadata', message);
}

function requireList(value: unknown, field: string, needed: string): void {
  if (value === undefined) return;
  if (!Array.isArray(value) || !value.includes(needed)) throw invalid(`${field} must contain ${needed}.`);
}

function nameOf(value: unknown): string {
  if (value === undefined) return UNNAMED;
  if (typeof value !== 'string') throw invalid('client_name must be a string.');
  const visible = value.slice(0, 1_000).replaceAll(INVISIBLE, ' ').replaceAll(/\s+/g, ' ').trim();
  return Array.from(visible).slice(0, MAX_NAME_LENGTH).join('').trim() || UNNAMED;
}

function redirectsOf(value: unknown): string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_REDIRECT_URIS)
    throw refusedRedirect(`redirect_uris must have 1 to ${MAX_REDIRECT_URIS} addresses.`);
  return value.map(readRedirect);
}

function readRedirect(value: unknown): string {
  if (typeof value !== 'string' || value.length > MAX_URI_LENGTH || !PRINTABLE.test(value))
    throw refusedRedirect(`A redirect URI must be a URI of at most ${MAX_URI_LENGTH} printable characters.`);
  const url = parsedUrl(value);
  if (!url) throw refusedRedirect('A redirect URI must be an absolute URI.');
  if (url.hash !== '' || value.includes('#')) throw refusedRedirect('A redirect URI must have no fragment.');
  if (url.username !== '' || url.password !== '')
    throw refusedRedirect('A redirect URI must have no user name or password.');
  if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname))
    throw refusedRedirect('A redirect URI with http must lead to 127.0.0.1, [::1] or localhost; use https.');
  if (FORBIDDEN_SCHEMES.has(url.protocol))
    throw refusedRedirect(`A redirect URI cannot have the scheme ${url.protocol}`);
  if (redirectHost(value).length > MAX_HOST_LENGTH)
    throw refusedRedirect(
      'The host and the scheme of a redirect URI must each be shorter than 280 characters.',
    );
  return value;
}

function refusedRedirect(message: string): OauthFailure {
  return new OauthFailure('invalid_redirect_uri', message);
}

/** A loopback address without its port; undefined for any other address, or one that is not in its usual spelling. */
function withoutLoopbackPort(uri: string): string | undefined {
  const url = parsedUrl(uri);
  if (url?.protocol !== 'http:' || !LOOPBACK.has(url.hostname)) return undefined;
  if (url.username !== '' || url.password !== '' || uri.includes('#') || uri.includes('\\')) return undefined;
  return `${url.hostname}${url.pathname}${url.search}`;
}

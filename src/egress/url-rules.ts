/**
 * Admission of untrusted URLs and of the addresses behind them: pure and without a lookup, so it gives the same result
 * at registration and before every call. Only the `href` of a vetted URL may be stored or used, because parsing
 * normalizes hostile spellings. Invariant: no connection is made to an address that did not pass `isAllowedAddress` in
 * the same call.
 */
import ipaddr from 'ipaddr.js';
import type { FieldProblem } from '../domain/errors';
import { parsedUrl } from '../kit/parsed-url';
import type { Address, EgressPolicy, Net } from './policy';

/** Reasons for refusing a URL. The names are stable and may be shown; none reveals what a host name resolves to. */
export const URL_RULES = {
  url_too_long: 'The address is longer than 2048 characters.',
  url_forbidden_character:
    'The address has a space, a control character, a backslash or a non-ASCII character.',
  url_malformed: 'The address is not a valid URL.',
  url_not_https: 'The address must start with https://.',
  url_has_credentials: 'The address must not contain a user name or password.',
  url_has_fragment: 'The address must not have a fragment (#).',
  url_port_not_allowed:
    'The port must be 443 or between 1024 and 65535, and not the port of a well-known internal service.',
  url_host_malformed: 'The host name is not valid.',
  url_host_not_public:
    'The host must be public: a public IP address, or a name that resolves to public addresses only.',
  url_host_is_ours: 'The address must not point to this service.',
} as const;

export type UrlRule = keyof typeof URL_RULES;

/** The problem of a field whose URL is refused: the same form in every request, with the rule in brackets. */
export function urlProblem(loc: FieldProblem['loc'], rule: UrlRule): FieldProblem {
  return { loc, msg: `${URL_RULES[rule]} (${rule})`, type: 'unsafe_url' };
}

export interface VettedUrl {
  ok: true;
  /** The normalized URL: the only form to store and to call. */
  href: string;
  /** Lower-case punycode without a trailing dot; IPv6 without brackets. */
  host: string;
  port: number;
  /** Path and query, as sent. */
  path: string;
  /** True when the host is an IP address, which has already passed the address rules. */
  isLiteral: boolean;
}

export type UrlVerdict = VettedUrl | { ok: false; rule: UrlRule };

const MAX_LENGTH = 2_048;
const MAX_HOST_LENGTH = 253;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const FORBIDDEN = /[\u0000-\u0020\u007f-\u00a0\\\u2028\u2029]|\p{Surrogate}/u;
// eslint-disable-next-line no-control-regex -- everything that is not ASCII
const NON_ASCII = /[^\u0000-\u007f]/;
const SPLIT = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]+))?(.*)$/is;
const INTERNAL_SUFFIXES = [
  'localhost',
  'local',
  'internal',
  'home.arpa',
  'lan',
  'test',
  'invalid',
  'onion',
].map((suffix) => `.${suffix}`);

/** Admits or refuses `raw`. A literal IP address is also checked against the address rules. */
export function checkUrl(raw: string, policy: EgressPolicy): UrlVerdict {
  const before = refusedText(raw);
  if (before) return refuse(before);
  const url = parsedUrl(raw);
  if (!url) return refuse('url_malformed');
  const port = url.port === '' ? 443 : Number(url.port);
  if (!isAllowedPort(port, policy)) return refuse('url_port_not_allowed');
  const literal = literalOf(url.hostname);
  const host = literal ?? url.hostname.replace(/\.$/, '');
  const rule = literal === undefined ? refusedName(host, policy) : refusedLiteral(literal, port, policy);
  if (rule) return refuse(rule);
  if (literal === undefined) url.hostname = host;
  return {
    ok: true,
    href: url.href,
    host,
    port,
    path: url.pathname + url.search,
    isLiteral: literal !== undefined,
  };
}

/** Checks the raw text before parsing, because the parser strips tabs and newlines and converts backslashes. */
function refusedText(raw: string): UrlRule | undefined {
  if (raw.length > MAX_LENGTH) return 'url_too_long';
  if (FORBIDDEN.test(raw)) return 'url_forbidden_character';
  const [, scheme, authority, rest] = SPLIT.exec(raw) ?? [];
  if (scheme === undefined || rest === undefined) return 'url_malformed';
  if (scheme.toLowerCase() !== 'https') return 'url_not_https';
  if (authority === undefined) return 'url_malformed';
  if (authority.includes('@')) return 'url_has_credentials';
  if (NON_ASCII.test(rest)) return 'url_forbidden_character';
  if (rest.includes('#')) return 'url_has_fragment';
  return undefined;
}

function isAllowedPort(port: number, policy: EgressPolicy): boolean {
  return port === 443 || (port >= 1_024 && port <= 65_535 && !policy.deniedPorts.has(port));
}

function literalOf(hostname: string): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return IPV4.test(hostname) ? hostname : undefined;
}

function refusedLiteral(literal: string, port: number, policy: EgressPolicy): UrlRule | undefined {
  if (policy.ownHosts.has(literal) || policy.ownHosts.has(`[${literal}]`)) return 'url_host_is_ours';
  const verdict = judgeAddress(literal, port, policy);
  if (verdict === 'allowed') return undefined;
  return verdict === 'ours' ? 'url_host_is_ours' : 'url_host_not_public';
}

function refusedName(host: string, policy: EgressPolicy): UrlRule | undefined {
  const labels = host.split('.');
  if (host.length > MAX_HOST_LENGTH || !labels.every((label) => LABEL.test(label)))
    return 'url_host_malformed';
  if (labels.length < 2) return 'url_host_not_public';
  if (INTERNAL_SUFFIXES.some((suffix) => host.endsWith(suffix))) return 'url_host_not_public';
  return policy.ownHosts.has(host) ? 'url_host_is_ours' : undefined;
}

function refuse(rule: UrlRule): UrlVerdict {
  return { ok: false, rule };
}

/**
 * `ipaddr.range()` classifies some special IPv6 addresses as unicast, so IPv6 addresses must also be in 2000::/3.
 */
const GLOBAL_IPV6 = ipaddr.IPv6.parse('2000::');
/** Publicly routable addresses of cloud-internal services: Azure's WireServer. */
const CLOUD_INTERNAL = new Set(['168.63.129.16']);

/** `ours`: the settings list the address as this service's own. */
export type AddressVerdict = 'allowed' | 'ours' | 'not_public';

/** Decides whether a call may connect to `ip` (text, without a zone) on `port`. */
export function judgeAddress(ip: string, port: number, policy: EgressPolicy): AddressVerdict {
  const address = parseAddress(ip);
  if (!address) return 'not_public';
  if (policy.ownNets.some((net) => netContains(net, address, net.fromPort))) return 'ours';
  if (policy.deny.some((net) => netContains(net, address, port))) return 'not_public';
  if (policy.allow.some((net) => netContains(net, address, port))) return 'allowed';
  const isOthers = isPublic(address) && !policy.ownAddresses().has(address.toNormalizedString());
  return isOthers ? 'allowed' : 'not_public';
}

/** True when a call may connect to `ip` on `port`. */
export function isAllowedAddress(ip: string, port: number, policy: EgressPolicy): boolean {
  return judgeAddress(ip, port, policy) === 'allowed';
}

/**
 * True for an address of loopback (text, an IPv6 address with or without brackets), which only EGRESS_ALLOW can open.
 */
export function isLoopback(host: string): boolean {
  return parseAddress(host.replace(/^\[|\]$/g, ''))?.range() === 'loopback';
}

/** Parses an address and unwraps IPv4-mapped IPv6. Returns undefined when the text is not one plain address. */
export function parseAddress(ip: string): Address | undefined {
  if (ip.includes('%')) return undefined;
  if (!ipaddr.IPv4.isValidFourPartDecimal(ip) && !ipaddr.IPv6.isValid(ip)) return undefined;
  return ipaddr.process(ip);
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL_IPV6, 3);
  return !CLOUD_INTERNAL.has(address.toString());
}

function netContains(net: Net, address: Address, port: number): boolean {
  if (port < net.fromPort || port > net.toPort) return false;
  if (address instanceof ipaddr.IPv4) {
    return net.base instanceof ipaddr.IPv4 && address.match(net.base, net.prefixLength);
  }
  return net.base instanceof ipaddr.IPv6 && address.match(net.base, net.prefixLength);
}

/**
 * Calls to untrusted servers. Every call applies the URL rules, resolves the host and checks every address, pins the
 * connection to one checked address, sends a fixed set of headers, and enforces one overall deadline and limits on
 * the response. Redirects and encoded responses are failures. This module knows nothing about invocations.
 */
import { readFileSync } from 'node:fs';
import type { Dispatcher } from 'undici';
import { HOPS_HEADER, nextHops } from '../domain/calls/hops';
import { parseStrictJson } from '../kit/json/strict-json';
import { checkUrl, isAllowedAddress, URL_RULES, type UrlVerdict, type VettedUrl } from './url-rules';
import {
  acceptHead,
  type Answer,
  type CallScope,
  collect,
  type EgressStatus,
  type EgressStream,
  startCallScope,
  statusInSpite,
  statusOf,
} from './answer';
import { EgressError, exchangeFailure, unresolved } from './egress-error';
import { framingHeaderIn } from './header-rules';
import { createPinnedPool, NotConnected, type Lease, type PinnedPool } from './pinned-pool';
import { createPolicy, type EgressPolicy, type PolicySettings } from './policy';
import { createResolver, type EgressResolver } from './resolver';

export interface EgressSettings extends PolicySettings {
  EGRESS_DNS_SERVERS: string;
  EGRESS_EXTRA_CA_FILE: string;
}

export interface EgressRequest {
  url: string;
  /** Default: POST. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Request body; undefined for GET. */
  body?: Buffer | undefined;
  /** Request headers. Framing headers are refused. `content-type` of a body defaults to JSON. */
  headers: Readonly<Record<string, string>>;
  /** Aborts the call with kind `aborted`. */
  signal?: AbortSignal | undefined;
  /** Deadline of the whole call (lookup, connect, headers, body), in epoch milliseconds. */
  deadlineMs: number;
  /**
   * True if the server may get the request twice: it is idempotent (RFC 9110 §9.2.2). It is then sent once more when a
   * kept connection breaks before an answer has begun.
   */
  repeatable?: boolean | undefined;
  /** Limit of the response body; a longer body fails the call with kind `too_large`. */
  maxResponseBytes: number;
}

export interface EgressAnswer {
  status: number;
  contentType: string;
  body: Buffer;
  /** From the start of the call to the last byte, in milliseconds. */
  durationMs: number;
}

/** A request of which only the status matters, and the first bytes of the answer. */
interface EgressNotice extends EgressRequest {
  /** Default: none. */
  sampleBytes?: number;
}

/** A request with an optional JSON body to a server that responds with JSON: payment, chain, webhooks. */
export interface EgressJsonRequest extends Omit<EgressRequest, 'body'> {
  /** Body, serialized as JSON; undefined for none. */
  json?: unknown;
}

export interface EgressJsonAnswer {
  status: number;
  header(name: string): string | undefined;
  /** The parsed body; undefined when the body is empty. */
  value: unknown;
}

/** Receivers of the answer and of a failure. */
interface Accept<T> {
  head: (answer: Answer, scope: CallScope) => T;
  failure: (failure: EgressError, lease: Lease | undefined) => T;
}

/** The connection that a request was sent on last. */
interface Sent {
  lease: Lease | undefined;
}

interface Sending {
  url: VettedUrl;
  ip: string;
  options: Dispatcher.RequestOptions;
  scope: CallScope;
  request: Pick<EgressRequest, 'repeatable'>;
  sent: Sent;
}

const rethrow = (failure: EgressError): never => {
  throw failure;
};

/** Limits the delay that unreachable addresses can cause: at most this many are tried, one after another. */
const MAX_ADDRESSES_TRIED = 3;
const FIXED_HEADERS = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'AgentMarketplace/1.0',
  [HOPS_HEADER]: nextHops(0),
};

/**
 * Creates the client for outgoing calls. `open`, `post` and `json` call an untrusted server and throw `EgressError`.
 * `checkUrl` applies the URL rules only. `vetUrl` also resolves the host (registration: "must resolve to a public
 * host").
 */
export function createEgress(settings: EgressSettings) {
  const policy = createPolicy(settings);
  const resolver = createResolver(settings.EGRESS_DNS_SERVERS);
  const caFile = settings.EGRESS_EXTRA_CA_FILE;
  const pool = createPinnedPool({ extraCaPem: caFile ? readFileSync(caFile, 'utf8') : undefined });

  const exchange = createExchange(policy, resolver, pool);
  const open = (request: EgressRequest): Promise<EgressStream> =>
    exchange(request, {
      head: (answer, scope) => acceptHead(answer, request.maxResponseBytes, scope),
      failure: rethrow,
    });

  return {
    open,

    /**
     * Sends a request of which only the status matters, and returns as soon as it is known, whatever headers and body
     * follow. Throws for a redirect.
     */
    notify: ({ sampleBytes, ...request }: EgressNotice): Promise<EgressStatus> =>
      exchange(request, {
        head: (answer, scope) => statusOf(answer, scope, sampleBytes),
        failure: statusInSpite,
      }),

    async post(request: EgressRequest): Promise<EgressAnswer> {
      const startedAt = performance.now();
      const { status, contentType, body } = await open(request);
      const bytes = await collect(body);
      return { status, contentType, body: bytes, durationMs: performance.now() - startedAt };
    },

    /**
     * Calls a JSON server and returns its response with any status. Throws `bad_response` when the body is not JSON.
     */
    async json({ json, ...rest }: EgressJsonRequest): Promise<EgressJsonAnswer> {
      const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
      const { status, header, body: chunks } = await open({ ...rest, body });
      return { status, header, value: readJson(await collect(chunks)) };
    },

    checkUrl: (raw: string): UrlVerdict => checkUrl(raw, policy),

    /**
     * Applies the URL rules, then resolves the host. Returns `url_host_not_public` when resolution fails or an
     * address is not allowed.
     */
    async vetUrl(raw: string): Promise<UrlVerdict> {
      const verdict = checkUrl(raw, policy);
      if (!verdict.ok || verdict.isLiteral) return verdict;
      try {
        await vettedAddresses(verdict, policy, resolver);
        return verdict;
      } catch {
        return { ok: false, rule: 'url_host_not_public' };
      }
    },

    /** The texts of the TXT records of a name; none if there are none or the lookup fails. */
    texts: (name: string): Promise<string[]> => resolver.texts(name),

    /** Closes idle connections. Calls in progress continue; new calls must not be started. */
    async close(): Promise<void> {
      resolver.close();
      pool.close();
    },
  };
}

export type Egress = ReturnType<typeof createEgress>;

/** Returns the function that sends a request, and makes of its answer or its failure what `accept` says. */
function createExchange(policy: EgressPolicy, resolver: EgressResolver, pool: PinnedPool) {
  return async function exchange<T>(request: EgressRequest, accept: Accept<T>): Promise<T> {
    const url = vetted(request.url, policy);
    const options = requestOptions(url, request);
    const scope = startCallScope(request.deadlineMs, request.signal);
    const sent: Sent = { lease: undefined };
    try {
      const addresses = url.isLiteral
        ? [url.host]
        : await scope.within(vettedAddresses(url, policy, resolver));
      const send = (ip: string) => sendTo(pool, { url, ip, options, scope, request, sent });
      return accept.head(await firstConnected(addresses, send), scope);
    } catch (error) {
      const failure = error instanceof NotConnected ? error.failure : exchangeFailure(error, false);
      return accept.failure(scope.fail(failure), sent.lease);
    }
  };
}

function vetted(raw: string, policy: EgressPolicy): VettedUrl {
  const verdict = checkUrl(raw, policy);
  if (!verdict.ok) throw new EgressError('unsafe_url', URL_RULES[verdict.rule], verdict.rule);
  return verdict;
}

/** Resolves the host. Throws `unsafe_url` when any of its addresses is not allowed. */
async function vettedAddresses(
  url: VettedUrl,
  policy: EgressPolicy,
  resolver: EgressResolver,
): Promise<string[]> {
  const addresses = await resolver.resolve(url.host);
  if (addresses.every((ip) => isAllowedAddress(ip, url.port, policy))) return addresses;
  throw new EgressError('unsafe_url', URL_RULES.url_host_not_public, 'url_host_not_public');
}

function requestOptions(url: VettedUrl, request: EgressRequest): Dispatcher.RequestOptions {
  const { method = 'POST', body = null } = request;
  const headers: Record<string, string> = { ...FIXED_HEADERS };
  if (body) headers['content-type'] = 'application/json';
  const framing = framingHeaderIn(request.headers);
  if (framing !== undefined)
    throw new Error(`header ${framing} is set by the egress client and cannot be overridden`);
  for (const [name, value] of Object.entries(request.headers)) headers[name.toLowerCase()] = value;
  return { method, path: url.path, headers, body, responseHeaders: 'raw' };
}

/** Sends the request to an address, once more if it may be repeated and its kept connection broke before an answer. */
async function sendTo(pool: PinnedPool, sending: Sending): Promise<Answer> {
  const { url, ip, request, sent } = sending;
  const acquire = (wish: 'any' | 'sure' | 'new') => (sent.lease = pool.acquire(url.host, url.port, ip, wish));
  if (!request.repeatable) return sendOn(acquire('sure'), sending);
  const lease = acquire('any');
  try {
    return await sendOn(lease, sending);
  } catch (error) {
    const isBroken = exchangeFailure(error, false).kind === 'unreachable';
    if (!isBroken || !lease.isReused || lease.head.hasBegun()) throw error;
    return sendOn(acquire('new'), sending);
  }
}

/** Sends the request on the leased connection. A failure of the call closes the connection. */
async function sendOn(lease: Lease, { options, scope }: Sending): Promise<Answer> {
  scope.onFail((reason) => lease.discard(reason));
  try {
    const response = await lease.client.request(options);
    response.body.on('error', () => undefined); // readers still receive the error; without this listener it would crash the process
    return { lease, response };
  } catch (error) {
    lease.discard(error as Error);
    throw error;
  }
}

/** Sends through the first address that accepts a connection. Once connected, a failure is final. */
async function firstConnected(addresses: string[], send: (ip: string) => Promise<Answer>): Promise<Answer> {
  const candidates = addresses.slice(0, MAX_ADDRESSES_TRIED);
  const last = candidates.pop();
  if (last === undefined) throw unresolved();
  for (const ip of candidates) {
    try {
      return await send(ip);
    } catch (error) {
      if (!(error instanceof NotConnected)) throw error;
    }
  }
  return send(last);
}

function readJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return parseStrictJson(bytes).value;
  } catch (cause) {
    throw new EgressError('bad_response', 'the response is not JSON', undefined, { cause });
  }
}

/**
 * Calls to untrusted servers. Every call applies the URL rules, resolves the host and checks every address, pins the
 * connection to one checked address, sends a fixed set of headers, and enforces one overall deadline and limits on
 * the response. Redirects and encoded responses are failures. This module knows nothing about invocations.
 */
import { readFileSync } from 'node:fs';
import type { Dispatcher } from 'undici';
import { HOPS_HEADER, nextHops } from '../domain/calls/hops';
import { parseStrictJson } from '../kit/json/strict-json';
import { isAllowedAddress } from './address-rules';
import { collect, limitedChunks } from './answer-body';
import { startCallScope, type CallScope } from './call-scope';
import { EgressError, exchangeFailure } from './egress-error';
import { isFramingHeader } from './header-rules';
import { createPinnedPool, NotConnected, type Lease } from './pinned-pool';
import { createPolicy, type EgressPolicy, type PolicySettings } from './policy';
import { createResolver, type EgressResolver } from './resolver';
import { checkUrl, URL_RULES, type AdmittedUrl, type UrlVerdict } from './url-rules';

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
  /** Limit of the response body; a longer body fails the call with kind `too_large`. */
  maxResponseBytes: number;
}

/**
 * The head of a response and its streamed body. The consumer must read the body to its end, leave the loop, or call
 * `close`.
 */
export interface EgressStream {
  /** Any status except 1xx and 3xx. */
  status: number;
  /** The header's value; empty when absent. */
  contentType: string;
  /** First value of a header, by lower-case name. */
  header(name: string): string | undefined;
  body: AsyncGenerator<Buffer, void, undefined>;
  /** Ends the call without reading the rest, and closes its connection. */
  close(): void;
}

export interface EgressAnswer {
  status: number;
  contentType: string;
  body: Buffer;
  /** From the start of the call to the last byte, in milliseconds. */
  durationMs: number;
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

/** A response whose body is still to be read from `lease`. */
interface Answer {
  lease: Lease;
  response: Dispatcher.ResponseData<unknown>;
}

const MAX_ANSWER_HEADERS = 100;
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
 * `checkUrl` applies the URL rules only. `admitUrl` also resolves the host (registration: "must resolve to a public
 * host").
 */
export function createEgress(settings: EgressSettings) {
  const policy = createPolicy(settings);
  const resolver = createResolver(settings.EGRESS_DNS_SERVERS);
  const caFile = settings.EGRESS_EXTRA_CA_FILE;
  const pool = createPinnedPool({ extraCaPem: caFile ? readFileSync(caFile, 'utf8') : undefined });

  async function open(request: EgressRequest): Promise<EgressStream> {
    const url = admitted(request.url, policy);
    const options = requestOptions(url, request);
    const scope = startCallScope(request.deadlineMs, request.signal);
    try {
      const addresses = url.isLiteral
        ? [url.host]
        : await scope.within(vettedAddresses(url, policy, resolver));
      const send = (ip: string) => sendOn(pool.take(url.host, url.port, ip), options, scope);
      return acceptHead(await firstConnected(addresses, send), request.maxResponseBytes, scope);
    } catch (error) {
      throw scope.fail(error instanceof NotConnected ? error.failure : exchangeFailure(error, false));
    }
  }

  return {
    open,

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
    async admitUrl(raw: string): Promise<UrlVerdict> {
      const verdict = checkUrl(raw, policy);
      if (!verdict.ok || verdict.isLiteral) return verdict;
      try {
        await vettedAddresses(verdict, policy, resolver);
        return verdict;
      } catch {
        return { ok: false, rule: 'url_host_not_public' };
      }
    },

    /** Closes idle connections. Calls in progress continue; new calls must not be started. */
    async close(): Promise<void> {
      resolver.close();
      pool.close();
    },
  };
}

export type Egress = ReturnType<typeof createEgress>;

function admitted(raw: string, policy: EgressPolicy): AdmittedUrl {
  const verdict = checkUrl(raw, policy);
  if (!verdict.ok) throw new EgressError('unsafe_url', URL_RULES[verdict.rule], verdict.rule);
  return verdict;
}

/** Resolves the host. Throws `unsafe_url` when any of its addresses is not allowed. */
async function vettedAddresses(
  url: AdmittedUrl,
  policy: EgressPolicy,
  resolver: EgressResolver,
): Promise<string[]> {
  const addresses = await resolver.resolve(url.host);
  if (addresses.every((ip) => isAllowedAddress(ip, url.port, policy))) return addresses;
  throw new EgressError('unsafe_url', URL_RULES.url_host_not_public, 'url_host_not_public');
}

function requestOptions(url: AdmittedUrl, request: EgressRequest): Dispatcher.RequestOptions {
  const { method = 'POST', body = null } = request;
  const headers: Record<string, string> = { ...FIXED_HEADERS };
  if (body) headers['content-type'] = 'application/json';
  for (const [name, value] of Object.entries(request.headers)) {
    if (isFramingHeader(name))
      throw new Error(`header ${name} is set by the egress client and cannot be overridden`);
    headers[name.toLowerCase()] = value;
  }
  return { method, path: url.path, headers, body, responseHeaders: 'raw' };
}

/** Sends the request on the leased connection. A failure of the call closes the connection. */
async function sendOn(lease: Lease, options: Dispatcher.RequestOptions, scope: CallScope): Promise<Answer> {
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
  if (last === undefined) throw new EgressError('unreachable', 'the host name does not resolve');
  for (const ip of candidates) {
    try {
      return await send(ip);
    } catch (error) {
      if (!(error instanceof NotConnected)) throw error;
    }
  }
  return send(last);
}

/**
 * Checks the response head. Redirects, encoded bodies, too many headers and an oversized `content-length` fail the
 * call before the body is read.
 */
function acceptHead({ lease, response }: Answer, maxBytes: number, scope: CallScope): EgressStream {
  const { statusCode: status, headers } = response;
  const header = headerReader(headers as unknown as string[]);
  if (status >= 300 && status < 400)
    throw new EgressError('redirect', `answered with a redirect (${status})`);
  if ((header('content-encoding') ?? 'identity').toLowerCase() !== 'identity') {
    throw new EgressError('bad_response', 'the response has a content encoding');
  }
  if (Number(header('content-length') ?? 0) > maxBytes) {
    throw new EgressError('too_large', `the response announces more than ${maxBytes} bytes`);
  }
  const finish = () => {
    const surplus = lease.surplus();
    if (surplus) throw exchangeFailure(surplus, true);
    scope.finish();
    lease.release();
  };
  return {
    status,
    contentType: header('content-type') ?? '',
    header,
    body: limitedChunks(response.body as AsyncIterable<Buffer>, maxBytes, { fail: scope.fail, finish }),
    close: () => void scope.fail(new EgressError('aborted', 'the response was not read')),
  };
}

function readJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return parseStrictJson(bytes).value;
  } catch (cause) {
    throw new EgressError('bad_response', 'the response is not JSON', undefined, { cause });
  }
}

/** Creates a lookup over raw headers (`[name, value, name, value, …]`). */
function headerReader(raw: string[]): (name: string) => string | undefined {
  if (raw.length > MAX_ANSWER_HEADERS * 2) {
    throw new EgressError('bad_response', `the response has more than ${MAX_ANSWER_HEADERS} headers`);
  }
  return (name) => {
    for (let at = 0; at < raw.length; at += 2) {
      if (raw[at]?.toLowerCase() === name) return raw[at + 1];
    }
    return undefined;
  };
}

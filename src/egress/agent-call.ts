/**
 * Calls to strangers' servers. Every call: the URL rule, a fresh look-up with every address vetted, a connection
 * pinned to one of them, a fixed set of headers, one overall deadline, and limits on what may come back. Redirects
 * and encoded answers are failures. Nothing here knows what an invocation is.
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
  /** What is sent; none with a GET. */
  body?: Buffer | undefined;
  /** Framing headers are ours and refused here. `content-type` of a body defaults to JSON. */
  headers: Readonly<Record<string, string>>;
  /** Ends the call with kind `aborted`. */
  signal?: AbortSignal | undefined;
  /** When the whole call must be over (look-up, connect, headers, body): milliseconds since the epoch. */
  deadlineMs: number;
  /** More bytes of answer than this end the call with kind `too_large`. */
  maxResponseBytes: number;
}

/** The head of an answer and its body as it comes: read the body to its end, leave the loop, or `close`. */
export interface EgressStream {
  /** Any status but 1xx and 3xx. */
  status: number;
  /** As sent; empty when absent. */
  contentType: string;
  /** The first value of a header, by lower-case name. */
  header(name: string): string | undefined;
  body: AsyncGenerator<Buffer, void, undefined>;
  /** Ends the call without reading the rest; its connection is closed. */
  close(): void;
}

export interface EgressAnswer {
  status: number;
  contentType: string;
  body: Buffer;
  /** From the start of the call to the last byte. */
  durationMs: number;
}

/** A request with a JSON body (or none), to a server whose answer is JSON: payment, chain, webhooks. */
export interface EgressJsonRequest extends Omit<EgressRequest, 'body'> {
  /** Sent as JSON; undefined: no body. */
  json?: unknown;
}

export interface EgressJsonAnswer {
  status: number;
  header(name: string): string | undefined;
  /** The parsed body; undefined when it is empty. */
  value: unknown;
}

/** An answer whose body is still to come on `lease`. */
interface Answer {
  lease: Lease;
  response: Dispatcher.ResponseData<unknown>;
}

const MAX_ANSWER_HEADERS = 100;
/** A dead address must not stall the call for long: one may be tried after another, but not a dozen. */
const MAX_ADDRESSES_TRIED = 3;
const FIXED_HEADERS = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'AgentMarketplace/1.0',
  [HOPS_HEADER]: nextHops(0),
};

/**
 * The way out. `open`, `post` and `json` call a stranger and throw `EgressError`; `checkUrl` is the pure rule for
 * forms; `admitUrl` also asks what the name resolves to (registration: "must resolve to a public host").
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

    /** For servers that speak JSON, whatever the status; an answer that is something else is `bad_response`. */
    async json({ json, ...rest }: EgressJsonRequest): Promise<EgressJsonAnswer> {
      const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
      const { status, header, body: chunks } = await open({ ...rest, body });
      return { status, header, value: readJson(await collect(chunks)) };
    },

    checkUrl: (raw: string): UrlVerdict => checkUrl(raw, policy),

    /** The pure rule, then the look-up; a name without an allowed address is `url_host_not_public`, whatever it has. */
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

    /** Calls that run are left to end; nothing new may begin. */
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

/** Every address of the name; one that is not allowed refuses the call. */
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
    if (isFramingHeader(name)) throw new Error(`header ${name} is not the caller's to set`);
    headers[name.toLowerCase()] = value;
  }
  return { method, path: url.path, headers, body, responseHeaders: 'raw' };
}

/** Sends on the leased connection; whatever ends the call closes it. */
async function sendOn(lease: Lease, options: Dispatcher.RequestOptions, scope: CallScope): Promise<Answer> {
  scope.onFail((reason) => lease.discard(reason));
  try {
    const response = await lease.client.request(options);
    response.body.on('error', () => undefined); // whoever reads learns it; nobody reading must not end the process
    return { lease, response };
  } catch (error) {
    lease.discard(error as Error);
    throw error;
  }
}

/** The answer by the first address that can be connected to; after connecting there is no second try. */
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

/** Refuses redirects, encoded answers, too many headers and announced oversize before a byte of body is read. */
function acceptHead({ lease, response }: Answer, maxBytes: number, scope: CallScope): EgressStream {
  const { statusCode: status, headers } = response;
  const header = headerReader(headers as unknown as string[]);
  if (status >= 300 && status < 400)
    throw new EgressError('redirect', `answered with a redirect (${status})`);
  if ((header('content-encoding') ?? 'identity').toLowerCase() !== 'identity') {
    throw new EgressError('bad_response', 'the answer has a content encoding');
  }
  if (Number(header('content-length') ?? 0) > maxBytes) {
    throw new EgressError('too_large', `the answer announces more than ${maxBytes} bytes`);
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
    close: () => void scope.fail(new EgressError('aborted', 'the answer was not read')),
  };
}

function readJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return parseStrictJson(bytes).value;
  } catch (cause) {
    throw new EgressError('bad_response', 'the answer is not JSON', undefined, { cause });
  }
}

/** Reads raw headers (`[name, value, name, value, …]`). */
function headerReader(raw: string[]): (name: string) => string | undefined {
  if (raw.length > MAX_ANSWER_HEADERS * 2) {
    throw new EgressError('bad_response', `the answer has more than ${MAX_ANSWER_HEADERS} headers`);
  }
  return (name) => {
    for (let at = 0; at < raw.length; at += 2) {
      if (raw[at]?.toLowerCase() === name) return raw[at + 1];
    }
    return undefined;
  };
}

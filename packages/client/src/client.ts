import createFetchClient, {
  type Client,
  type FetchResponse,
  type MaybeOptionalInit,
  type Middleware,
} from 'openapi-fetch';
import type { components, paths } from './api-types.d.ts';
import type { AnswerFormat } from './attempt.ts';
import { callBody, type CallOptions, keyHeader, limitsOf } from './call-options.ts';
import { errorOf } from './errors.ts';
import { createInvocations, type Invocations, resultOf } from './invocations.ts';
import { type RetryOptions, withRetries } from './retry.ts';
import { accountEvents, type AccountEvent, chatEvents, type ChatEvent, EVENT_SILENCE_MS } from './streams.ts';
import type { TimeLimits } from './time-limits.ts';

type Schemas = components['schemas'];
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];
type RequiredKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T];
/** The arguments of a request; may be left out where nothing is required. */
type InitOf<I> = [RequiredKeys<I>] extends [never] ? [init?: I & ExtraInit] : [init: I & ExtraInit];
type ExtraInit = TimeLimits & { signal?: AbortSignal | undefined; headers?: Record<string, string> };
type DataOf<P extends keyof paths, M extends Method, I> =
  paths[P] extends Record<M, infer O extends Record<string | number, unknown>>
    ? Exclude<FetchResponse<Waited<O>, I, 'application/json'>['data'], undefined>
    : never;
/** Only a job, or a request with `Prefer: respond-async`, is answered 202 by an operation that else answers 200. */
type Waited<O> = O extends { responses: infer R extends Record<200, unknown> }
  ? Omit<O, 'responses'> & { responses: Omit<R, 202> }
  : O;

/** Sends a request and returns the body of the answer. Throws `MarketApiError` for every other outcome. */
export type Send<M extends Method> = <P extends PathsWith<M>, I extends MaybeOptionalInit<paths[P], M>>(
  path: P,
  ...init: InitOf<I>
) => Promise<[DataOf<P, M, I>] extends [never] ? undefined : DataOf<P, M, I>>;

export interface ClientOptions extends RetryOptions {
  /** Origin of the marketplace, such as `https://market.example`. In a page of the marketplace it may be left out. */
  baseUrl?: string;
  /** An API key (`amk_live_…`). It takes precedence over a session. */
  apiKey?: string | undefined;
  /** The cookie `market_session=…` of a session, outside of browsers. A browser sends its own cookie. */
  sessionCookie?: string | undefined;
  /** The organisation (`org_…`) for which the requests of a session act; default: the one that the session chose. */
  owner?: string | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
  /** Gives requests that take an idempotency key, such as calls and top-ups, a random one; default true. */
  idempotencyKeys?: boolean;
}

export interface EventOptions {
  /** Types of events; default: all. */
  types?: readonly Schemas['EventType'][];
  /** Position of an earlier event, behind which the events begin. */
  after?: string;
  /** Ends the events. */
  signal?: AbortSignal | undefined;
}

type Page = { items: readonly unknown[]; next_cursor: string | null };
type PagedPath = {
  [P in PathsWith<'get'>]: DataOf<P, 'get', object> extends Page ? P : never;
}[PathsWith<'get'>];
type ItemOf<P extends PagedPath> =
  DataOf<P, 'get', object> extends { items: readonly (infer T)[] } ? T : never;

export interface MarketClient {
  /** The client of openapi-fetch: returns `{ data, error, response }` and does not throw for error responses. */
  readonly raw: Client<paths>;
  readonly get: Send<'get'>;
  readonly post: Send<'post'>;
  readonly put: Send<'put'>;
  readonly patch: Send<'patch'>;
  readonly delete: Send<'delete'>;
  /** Invokes an agent, by id (`agt_…`) or by slug, and returns its answer with usage and cost. */
  invoke(
    agent: string,
    input: Record<string, unknown>,
    options?: CallOptions,
  ): Promise<Schemas['InvocationResult']>;
  /** Calls that go on while the program does something else: begun, awaited and canceled. */
  readonly invocations: Invocations;
  /** The same as `invocations`: a job begins as a call, and is followed, answered and canceled like one. */
  readonly jobs: Invocations;
  /** Sends a chat turn and yields its events as they arrive. Leaving the loop ends the turn. */
  chat(
    agent: string,
    turn: string | { messages: Schemas['ChatMessage'][]; session_id?: string },
    options?: CallOptions,
  ): AsyncGenerator<ChatEvent>;
  /**
   * Yields the events of the account as they happen, without end and without a public address. Connects again after a
   * lost connection and resumes behind the last event.
   */
  events(options?: EventOptions): AsyncGenerator<AccountEvent>;
  /** Yields the items of all pages of a list. */
  pages<P extends PagedPath, I extends MaybeOptionalInit<paths[P], 'get'>>(
    path: P,
    ...init: InitOf<I>
  ): AsyncGenerator<ItemOf<P>>;
  /** The id of an agent: an id is returned as it is, a slug is looked up and gives its highest live major version. */
  agentId(agent: string): Promise<string>;
  /** The session cookie that the service set last, else the one given at creation. Always undefined in browsers. */
  sessionCookie(): string | undefined;
}

/** Paths whose operations take the header `Idempotency-Key`. A test compares the list with the document. */
const KEYED = new Set<string>([
  '/v1/agents/{agent_id}/invoke',
  '/v1/agents/{agent_id}/chat',
  '/chat/',
  '/v1/chat/completions',
  '/v1/a2a/{agent_id}/tasks',
  '/v1/agents/{owner}/{slug}/use',
  '/v1/billing/topup',
  '/v1/billing/developer/bond/deposit',
  '/v1/operator/payments/{payment_id}/refund',
  '/v1/operator/slashes',
] satisfies (keyof paths)[]);

/** Creates a client of the marketplace. It has no state besides the session cookie. */
export function createClient(options: ClientOptions = {}): MarketClient {
  const { raw, sessionCookie } = rawClient(options);
  const get = senderOf<'get'>(raw, 'GET');
  const post = senderOf<'post'>(raw, 'POST');
  const agentId = async (agent: string) =>
    /^agt_/.test(agent)
      ? agent
      : (await get('/v1/listings/slug/{slug}', { params: { path: { slug: agent } } })).agent_id;

  const invocations = createInvocations({ raw, agentId, limits: options });

  return {
    raw,
    get,
    post,
    put: senderOf<'put'>(raw, 'PUT'),
    patch: senderOf<'patch'>(raw, 'PATCH'),
    delete: senderOf<'delete'>(raw, 'DELETE'),
    agentId,
    sessionCookie,
    invocations,
    jobs: invocations,
    async invoke(agent, input, call = {}) {
      const path = { agent_id: await agentId(agent) };
      const { data, error, response } = await raw.POST('/v1/agents/{agent_id}/invoke', {
        params: { path, header: keyHeader(call) },
        body: { input, ...callBody(call) },
        ...limitsOf(call),
      });
      if (data === undefined) throw errorOf(response, error);
      if (!('status' in data)) return data;
      // A job outlives the patience of the response.
      return resultOf(await invocations.wait(data.invocation_id, call));
    },
    async *chat(agent, turn, call = {}) {
      const path = { agent_id: await agentId(agent) };
      const content = typeof turn === 'string' ? { messages: [{ role: 'user', content: turn }] } : turn;
      const { data, error, response } = await raw.POST('/v1/agents/{agent_id}/chat', {
        params: { path, header: keyHeader(call) },
        body: { ...content, ...callBody(call) },
        parseAs: 'stream',
        ...limitsOf(call),
      });
      if (!response.ok) throw errorOf(response, error);
      yield* chatEvents(response, data as unknown as ReadableStream<Uint8Array>);
    },
    events({ types = [], after, signal } = {}) {
      const open = async (position: string | undefined) => {
        const { data, error, response } = await raw.GET('/v1/events/stream', {
          params: {
            ...(types.length > 0 && { query: { type: [...types] } }),
            ...(position !== undefined && { header: { 'Last-Event-ID': position } }),
          },
          parseAs: 'stream',
          ...limitsOf({ signal, timeoutMs: EVENT_SILENCE_MS, totalTimeoutMs: Infinity }),
        });
        if (!response.ok) throw errorOf(response, error);
        return { response, body: data as unknown as ReadableStream<Uint8Array> };
      };
      return accountEvents(open, { after, signal });
    },
    async *pages(path, ...[init]) {
      const { params, ...rest } = (init ?? {}) as { params?: { query?: object } };
      for (let cursor: string | null | undefined; cursor !== null;) {
        const query = { ...params?.query, ...(cursor !== undefined && { cursor }) };
        const request = { ...rest, params: { ...params, query } };
        const page = (await get(path as never, request as never)) as unknown as Page;
        yield* page.items as never[];
        cursor = page.next_cursor;
      }
    },
  };
}

/** The client of openapi-fetch with credential, retries and idempotency keys. */
function rawClient(options: ClientOptions): { raw: Client<paths>; sessionCookie: () => string | undefined } {
  let cookie = options.sessionCookie;
  const baseUrl = (options.baseUrl ?? '').replace(/\/+$/, '');
  const formats = new WeakMap<Request, AnswerFormat>();
  const send = withRetries(
    options.fetch ?? ((...args) => fetch(...args)),
    options,
    (request) => formats.get(request) ?? 'other',
  );
  // a redirect could carry a key or a cookie to another host
  const raw = createFetchClient<paths>({ baseUrl, fetch: send, redirect: 'error' });
  raw.use({
    onRequest({ request, options: { parseAs } }) {
      formats.set(request, parseAs === 'json' || parseAs === 'stream' ? parseAs : 'other');
      if (options.apiKey) request.headers.set('x-api-key', options.apiKey);
      else if (cookie !== undefined) request.headers.set('cookie', cookie);
      if (options.owner && !request.headers.has('x-owner')) request.headers.set('x-owner', options.owner);
    },
    onResponse({ response }) {
      const set = response.headers.getSetCookie?.().find((line) => line.startsWith('market_session='));
      if (set !== undefined) cookie = set.split(';')[0];
    },
  });
  if (options.idempotencyKeys !== false) raw.use(idempotencyKeys());
  return { raw, sessionCookie: () => cookie };
}

function senderOf<M extends Method>(raw: Client<paths>, method: Uppercase<M>): Send<M> {
  return async (path, ...[init]) => {
    const request = raw[method] as (
      path: unknown,
      init: unknown,
    ) => Promise<FetchResponse<never, never, never>>;
    const { data, error, response } = await request(path, init ?? {});
    if (!response.ok) throw errorOf(response, error);
    return data as never;
  };
}

function idempotencyKeys(): Middleware {
  return {
    onRequest({ request, schemaPath }) {
      if (request.method === 'POST' && KEYED.has(schemaPath) && !request.headers.has('idempotency-key'))
        request.headers.set('idempotency-key', crypto.randomUUID());
    },
  };
}

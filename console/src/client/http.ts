/** The console's only way to the API: typed by the OpenAPI document, with the session cookie. */
import type { paths } from '@agent-marketplace/client';
import { ownerHeader } from './acting';
import { addressOf } from './address';
import { forgetEarlyReads, takeEarlyRead } from './early-reads';
import { noteTime } from './read-since';

export type Path = keyof paths;
export type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';
type OperationOf<P extends Path, V extends Verb> = paths[P] extends Record<V, infer O> ? O : never;
type JsonOf<R> = R extends { content: { 'application/json': infer T } } ? T : undefined;
type Success = 200 | 201 | 202 | 204;
export type Answer<P extends Path, V extends Verb> =
  OperationOf<P, V> extends { responses: infer R }
    ? { [S in keyof R & Success]: JsonOf<R[S]> }[keyof R & Success]
    : never;
type QueryOf<P extends Path, V extends Verb> =
  OperationOf<P, V> extends { parameters: { query?: infer Q } } ? Q : never;
type PathOf<P extends Path, V extends Verb> =
  OperationOf<P, V> extends { parameters: { path: infer Q } } ? Q : never;
type BodyOf<P extends Path, V extends Verb> =
  OperationOf<P, V> extends { requestBody: { content: { 'application/json': infer B } } } ? B : never;

export interface Input<P extends Path, V extends Verb> {
  path?: PathOf<P, V>;
  query?: QueryOf<P, V>;
  body?: BodyOf<P, V>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface FieldProblem {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** What a failed request says about its call: the id, and why the agent refused it, in its own words. */
export interface FailedCall {
  id?: string | undefined;
  agentMessage?: string | undefined;
}

/** A failed request: the API's own message and trace id; `network` when no answer came. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly traceId: string | undefined,
    readonly detail: readonly FieldProblem[] = [],
    readonly retryable = false,
    /** Of a failed call. */
    readonly call: FailedCall = {},
  ) {
    super(message);
  }
}

/** Sends a request. Throws `ApiError` for every failure. */
export async function send<P extends Path, V extends Verb>(
  verb: V,
  path: P,
  input: Input<P, V> = {},
): Promise<Answer<P, V>> {
  const response = await request(
    verb,
    addressOf(path, { ...(input.path as object) }, { ...(input.query as object) }),
    input,
  );
  if (response.status === 204 || response.headers.get('content-length') === '0')
    return undefined as Answer<P, V>;
  try {
    const text = await response.text();
    return (text ? JSON.parse(text) : undefined) as Answer<P, V>;
  } catch (error) {
    // The connection was cut in the middle of the answer, or a proxy answered with something else.
    if (input.signal?.aborted) throw error;
    throw networkError();
  }
}

interface Asked {
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Sends a request and returns the answer of a success, for streams and files. */
export async function request(verb: Verb, address: string, asked: Asked): Promise<Response> {
  const response = await ask(verb, address, asked);
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** Sends a request and returns its answer, whatever its status. Throws `ApiError` when none comes. */
export async function ask(verb: Verb, address: string, { body, headers, signal }: Asked): Promise<Response> {
  // A change makes answers old that were asked for before it.
  if (verb !== 'get') forgetEarlyReads();
  try {
    const early = verb === 'get' && !headers ? takeEarlyRead(address) : undefined;
    const answer = await (early ??
      fetch(address, {
        method: verb.toUpperCase(),
        credentials: 'same-origin',
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...ownerHeader(),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      }));
    noteTime(answer);
    return answer;
  } catch (error) {
    if (signal?.aborted) throw error;
    throw networkError();
  }
}

/** The failure of a request that got no answer. */
export function networkError(): ApiError {
  const message = 'The marketplace does not answer. Check your connection and try again.';
  return new ApiError(0, 'network', message, undefined, [], true);
}

interface ErrorBody {
  error?: { code: string; message: string; retryable: boolean; agent_message?: string };
  invocation_id?: string;
  detail?: FieldProblem[];
  trace_id?: string;
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody;
  const { code, message, retryable } = body.error ?? {
    code: `http_${response.status}`,
    message: `The marketplace answered with status ${response.status}.`,
    retryable: response.status >= 500,
  };
  const traceId = body.trace_id ?? response.headers.get('x-trace-id') ?? undefined;
  const call = { id: body.invocation_id, agentMessage: body.error?.agent_message };
  return new ApiError(response.status, code, message, traceId, body.detail ?? [], retryable, call);
}

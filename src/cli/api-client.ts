/**
 * The marketplace's own API, at the address that the user of the command named: not a stranger's, so this file is
 * beside egress (eslint.config.mjs names it). Redirects are refused, so that a session or key goes nowhere else.
 */
import type { FieldProblem } from '../domain/errors';
import { splitEvents } from '../kit/streams/event-splitter';
import { CliFailure, EXIT, type ExitCode } from './failure';

/** How a request is authenticated: a session's cookie (`market_session=…`), an API key, or not at all. */
export interface Credential {
  cookie?: string | undefined;
  apiKey?: string | undefined;
}

export interface MarketApi {
  readonly url: string;
  /** @throws ApiFailure when the answer is not 2xx; CliFailure (exit 4) when none came. */
  call: <T>(method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<T>;
  /** The bytes of an answer that is a file; throws as `call` does. */
  download: (path: string) => Promise<Buffer>;
  /** The events of a streamed answer as they come. Ends with the stream; throws as `call` does. */
  stream: <T>(path: string, body: unknown, signal: AbortSignal) => AsyncGenerator<T>;
  /** The session that the last answer set, `market_session=…`. */
  cookie: () => string | undefined;
}

/** A refusal of the marketplace, in its own words (contract, "General"). */
export class ApiFailure extends CliFailure {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly detail: FieldProblem[],
    json: Record<string, unknown>,
    exitCode: ExitCode,
  ) {
    super(message, exitCode, json);
  }
}

interface ErrorBody {
  error?: { code: string; message: string; retryable: boolean };
  trace_id?: string;
  invocation_id?: string;
  detail?: FieldProblem[];
}

/** Longer than the longest call of an agent (300 s). */
const CALL_TIMEOUT_MS = 320_000;
const MAX_EVENT_LENGTH = 12 * 1024 * 1024;

export function createMarketApi(url: string, credential: Credential): MarketApi {
  let cookie = credential.cookie;

  async function send(method: string, path: string, options: RequestInit): Promise<Response> {
    const headers = new Headers(options.headers);
    if (options.body !== undefined) headers.set('content-type', 'application/json');
    if (credential.apiKey) headers.set('x-api-key', credential.apiKey);
    else if (cookie) headers.set('cookie', cookie);
    try {
      return await fetch(`${url}${path}`, { ...options, method, headers, redirect: 'error' });
    } catch (error) {
      throw unreachable(url, error);
    }
  }

  return {
    url,
    cookie: () => cookie,
    async call<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const response = await send(method, path, {
        headers,
        signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      for (const line of response.headers.getSetCookie())
        if (line.startsWith('market_session=')) cookie = line.split(';')[0];
      if (!response.ok) throw await refusalOf(response);
      const text = await response.text();
      return (text === '' ? undefined : JSON.parse(text)) as T;
    },
    async download(path: string) {
      const response = await send('GET', path, { signal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
      if (!response.ok) throw await refusalOf(response);
      return Buffer.from(await response.arrayBuffer());
    },
    async *stream<T>(path: string, body: unknown, signal: AbortSignal) {
      const response = await send('POST', path, {
        headers: { accept: 'text/event-stream' },
        body: JSON.stringify(body),
        signal,
      });
      if (!response.ok) throw await refusalOf(response);
      const splitter = splitEvents(MAX_EVENT_LENGTH);
      const decoder = new TextDecoder();
      try {
        for await (const bytes of response.body ?? []) {
          for (const data of splitter.feed(decoder.decode(bytes as Uint8Array, { stream: true })))
            yield JSON.parse(data) as T;
        }
      } catch (error) {
        throw unreachable(url, error);
      }
    },
  };
}

async function refusalOf(response: Response): Promise<ApiFailure> {
  const text = await response.text();
  const { error, detail = [], ...ids } = parse(text);
  const { status } = response;
  const code = error?.code ?? 'unknown';
  const traceId = ids.trace_id ?? response.headers.get('x-trace-id') ?? undefined;
  const message = error?.message ?? `the answer was ${status}`;
  const json = { code, status, retryable: error?.retryable ?? false, ...(detail.length > 0 && { detail }) };
  return new ApiFailure(
    status,
    code,
    code === 'not_authenticated' ? `${message} Log in: market login` : message,
    detail,
    { ...json, ...(traceId && { trace_id: traceId }), ...(ids.invocation_id && { invocation_id: ids.invocation_id }) },
    status === 401 || status === 403 ? EXIT.login : error?.retryable ? EXIT.later : EXIT.refused,
  ); // prettier-ignore
}

function parse(text: string): ErrorBody {
  try {
    return (JSON.parse(text) ?? {}) as ErrorBody;
  } catch {
    return {};
  }
}

function unreachable(url: string, error: unknown): Error {
  if (error instanceof CliFailure) return error;
  const { name, cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'AbortError') return error as Error;
  const why = name === 'TimeoutError' ? 'no answer in time' : (cause?.code ?? cause?.message ?? message);
  return new CliFailure(`${url} cannot be reached (${why})`, EXIT.later, { code: 'unreachable' });
}

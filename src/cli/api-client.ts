/**
 * Client of the marketplace's own API, at the address that the user configured. The address is trusted, so this file
 * may call `fetch` outside of egress (eslint.config.mjs lists it). Redirects are refused, so that a session cookie or
 * an API key reaches no other host.
 */
import type { FieldProblem } from '../domain/errors';
import { splitEvents, splitNamedEvents, type NamedEvent } from '../kit/streams/event-splitter';
import { CliFailure, EXIT, type ExitCode } from './failure';
import { isChangeOfOwner } from './login/owner';
import type { SavedOwner } from './login/session-file';

/** How a request is authenticated: a session cookie (`market_session=…`), an API key, or neither. An API key wins. */
export interface Credential {
  cookie?: string | undefined;
  apiKey?: string | undefined;
  /** The command that logs in again, with the profile; default: `market login`. */
  login?: string | undefined;
  /** The organisation for which the requests act. `onChange` is called once, before the first change of it. */
  owner?: (SavedOwner & { onChange: () => void }) | undefined;
}

export interface MarketApi {
  readonly url: string;
  /** The organisation for which the requests act; undefined for the account of the credential. */
  readonly owner: SavedOwner | undefined;
  /**
   * Sends a JSON request and returns the parsed response body; `undefined` for an empty body.
   * Throws `ApiFailure` when the response is not 2xx, `CliFailure` (exit 4) when no response arrives within 320 s.
   */
  call: <T>(method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<T>;
  /** Sends a form and returns status and body, whatever the status is. Throws `CliFailure` without a response. */
  form: (
    path: string,
    fields: Record<string, string>,
  ) => Promise<{ status: number; body: Record<string, unknown> }>;
  /** Downloads a file and returns its bytes. Throws as `call` does. */
  download: (path: string) => Promise<Buffer>;
  /** Yields the events of a streamed response as they arrive. Ends with the stream. Throws as `call` does. */
  stream: <T>(path: string, body: unknown, signal: AbortSignal) => AsyncGenerator<T>;
  /**
   * Yields the events of a GET stream with their ids, behind `lastEventId`. Ends with the stream. Throws as `call`
   * does.
   */
  events: (path: string, lastEventId: string | undefined, signal: AbortSignal) => AsyncGenerator<NamedEvent>;
  /** The session cookie (`market_session=…`): the last one that a response set, else the one given at creation. */
  cookie: () => string | undefined;
}

/** An error response of the API: its code and message, the problems of single fields, and the exit code for it. */
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
  error?: { code: string; message: string; retryable: boolean; agent_message?: string };
  trace_id?: string;
  invocation_id?: string;
  detail?: FieldProblem[];
}

/** Longer than the longest call of an agent (300 s). */
const CALL_TIMEOUT_MS = 320_000;
const MAX_EVENT_LENGTH = 12 * 1024 * 1024;

type Sender = (method: string, path: string, options: RequestInit) => Promise<Response>;

/** Sends requests with a credential, and shows their owner before the first change of it. */
function sender(url: string, { apiKey, owner }: Credential, cookie: () => string | undefined): Sender {
  let isShown = false;
  return async (method, path, options) => {
    const headers = new Headers(options.headers);
    if (options.body !== undefined) headers.set('content-type', 'application/json');
    const session = cookie();
    if (apiKey) headers.set('x-api-key', apiKey);
    else if (session) headers.set('cookie', session);
    if (owner) headers.set('x-owner', owner.id);
    if (owner && !isShown && isChangeOfOwner(method, path)) {
      isShown = true;
      owner.onChange();
    }
    try {
      return await fetch(`${url}${path}`, { ...options, method, headers, redirect: 'error' });
    } catch (error) {
      throw unreachable(url, error);
    }
  };
}

export function createMarketApi(url: string, credential: Credential): MarketApi {
  let cookie = credential.cookie;
  const { owner } = credential;
  const send = sender(url, credential, () => cookie);
  return {
    url,
    owner,
    cookie: () => cookie,
    async call<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const response = await send(method, path, {
        headers,
        signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      for (const line of response.headers.getSetCookie())
        if (line.startsWith('market_session=')) cookie = line.split(';')[0];
      if (!response.ok) throw await refusalOf(response, credential);
      const text = await response.text();
      return (text === '' ? undefined : JSON.parse(text)) as T;
    },
    form: (path, fields) => sendForm(url, path, fields),
    async download(path: string) {
      const response = await send('GET', path, { signal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
      if (!response.ok) throw await refusalOf(response, credential);
      return Buffer.from(await response.arrayBuffer());
    },
    async *events(path: string, lastEventId: string | undefined, signal: AbortSignal) {
      const accept = { accept: 'text/event-stream' };
      const headers = lastEventId === undefined ? accept : { ...accept, 'last-event-id': lastEventId };
      const response = await send('GET', path, { headers, signal });
      if (!response.ok) throw await refusalOf(response, credential);
      const feed = splitNamedEvents(MAX_EVENT_LENGTH);
      const decoder = new TextDecoder();
      try {
        for await (const bytes of response.body ?? [])
          yield* feed(decoder.decode(bytes as Uint8Array, { stream: true }));
      } catch (error) {
        throw unreachable(url, error);
      }
    },
    async *stream<T>(path: string, body: unknown, signal: AbortSignal) {
      const response = await send('POST', path, {
        headers: { accept: 'text/event-stream' },
        body: JSON.stringify(body),
        signal,
      });
      if (!response.ok) throw await refusalOf(response, credential);
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

async function sendForm(url: string, path: string, fields: Record<string, string>) {
  const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
  const init = { method: 'POST', body: new URLSearchParams(fields), redirect: 'error' as const, signal };
  const response = await fetch(`${url}${path}`, init).catch((error: unknown) => {
    throw unreachable(url, error);
  });
  return { status: response.status, body: parse(await response.text()) as Record<string, unknown> };
}

async function refusalOf(response: Response, credential: Credential): Promise<ApiFailure> {
  const text = await response.text();
  const { error, detail = [], ...ids } = parse(text);
  const { status } = response;
  const code = error?.code ?? 'unknown';
  const traceId = ids.trace_id ?? response.headers.get('x-trace-id') ?? undefined;
  const said = error?.agent_message === undefined ? '' : ` The agent says: ${error.agent_message}`;
  const message = `${error?.message ?? `the marketplace answered with status ${status}`}${said}`;
  const words = error?.agent_message;
  const json = {
    code,
    status,
    retryable: error?.retryable ?? false,
    ...(words !== undefined && { agent_message: words }),
    ...(detail.length > 0 && { detail }),
  };
  return new ApiFailure(
    status,
    code,
    code === 'not_authenticated' ? loginText(message, credential) : message,
    detail,
    {
      ...json,
      ...(traceId && { trace_id: traceId }),
      ...(ids.invocation_id && { invocation_id: ids.invocation_id }),
    },
    exitCodeOf(status, detail, error?.retryable ?? false),
  );
}

/** What a person does after a refusal without a valid credential. */
function loginText(message: string, { cookie, apiKey, login = 'market login' }: Credential): string {
  if (!message.startsWith('Authenticate ')) return `${message} Log in: ${login}`;
  if (apiKey)
    return `the API key is not valid: it was revoked, has expired, or is of another marketplace. Log in: ${login}`;
  return cookie
    ? `your session has ended. Log in again: ${login}`
    : `you are not logged in. Log in: ${login}`;
}

/** A request's query comes from options such as `--limit`, so a problem of it is invalid usage. */
function exitCodeOf(status: number, detail: readonly FieldProblem[], isRetryable: boolean): ExitCode {
  if (status === 401 || status === 403) return EXIT.login;
  if (detail.length > 0 && detail.every(({ loc }) => loc[0] === 'query')) return EXIT.usage;
  return isRetryable ? EXIT.later : EXIT.refused;
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
  const why =
    name === 'TimeoutError'
      ? `no response within ${CALL_TIMEOUT_MS / 1_000} s`
      : (cause?.code ?? cause?.message ?? message);
  return new CliFailure(`${url} cannot be reached (${why})`, EXIT.later, { code: 'unreachable' });
}

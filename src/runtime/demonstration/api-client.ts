/** An API client for one user: sends and receives JSON, and keeps the session cookie between calls. */
export interface ApiClient {
  /** Returns the response body. Throws `Error` with the status and the service's message when the answer is not 2xx. */
  call: <T>(method: string, path: string, body?: unknown) => Promise<T>;
  /** Like `call`, but returns status and body for every status. */
  attempt: (method: string, path: string, body?: unknown) => Promise<ApiAnswer>;
  /** The session cookie, `market_session=…`, for a `Cookie` header; empty before login. */
  cookie: () => string;
}

export interface ApiAnswer {
  status: number;
  body: unknown;
}

const CALL_TIMEOUT_MS = 60_000;

export function createApiClient(baseUrl: string): ApiClient {
  let cookie = '';

  async function attempt(method: string, path: string, body?: unknown): Promise<ApiAnswer> {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(cookie ? { cookie } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    });
    for (const line of response.headers.getSetCookie()) {
      if (line.startsWith('market_session=')) cookie = line.split(';')[0] ?? '';
    }
    const text = await response.text();
    return { status: response.status, body: text ? parse(text) : undefined };
  }

  return {
    attempt,
    cookie: () => cookie,
    async call<T>(method: string, path: string, body?: unknown): Promise<T> {
      const answer = await attempt(method, path, body);
      if (answer.status >= 200 && answer.status < 300) return answer.body as T;
      throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

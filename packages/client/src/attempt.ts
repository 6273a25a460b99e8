import { MarketApiError, rememberKey, type TransportCode } from './errors.ts';
import { startLimit, type TimeLimit } from './time-limits.ts';

/** How the answer of a request is read: as openapi-fetch's `parseAs` says. */
export type AnswerFormat = 'json' | 'stream' | 'other';

/** One attempt: what it asks for and how long it may take. */
export interface Attempt {
  send: typeof fetch;
  /** The request, or a copy of it for each attempt, because a body can be sent once. */
  request: Request;
  /** The request as it was given. The signal of a copy may be collected while the copy is on its way. */
  given: Request;
  format: AnswerFormat;
  timeoutMs: number | undefined;
  total: TimeLimit;
}

/**
 * Sends a request once. Returns a response whose body has arrived whole, or a stream whose failures are
 * `MarketApiError`; returns `MarketApiError` when there is no such answer.
 */
export async function attempt(course: Attempt): Promise<Response | MarketApiError> {
  const { send, request, given, format, total } = course;
  const silence = startLimit('timeoutMs', course.timeoutMs);
  const failure = (error: unknown) => failureOf(given, error, { silence, total });
  try {
    const signal = firstOf([given.signal, silence.signal, total.signal]);
    const response = await send(request, { signal });
    if (isStream(response, format))
      return rememberKey(streamed(response, course.total, silence, failure), request);
    // The copy is read to its end here, so that the body of the response cannot be cut later.
    const body = await response.clone().arrayBuffer();
    silence.clear();
    if (format === 'json' && response.ok) requireJson(body, response.headers);
    return rememberKey(response, request);
  } catch (error) {
    silence.clear();
    return failure(error);
  }
}

/**
 * Aborts with the first of these signals. `AbortSignal.any` does so too, but Node 20 collects the signal that it returns
 * while a request listens to it, and then no limit ends the request.
 */
function firstOf(signals: readonly AbortSignal[]): AbortSignal {
  const over = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) over.abort(signal.reason);
    else signal.addEventListener('abort', () => over.abort(signal.reason), { once: true });
  }
  return over.signal;
}

/** Whether the body of a response is read as it arrives. */
export function isStream(response: Response, format: AnswerFormat): boolean {
  const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  return response.ok && response.body !== null && (format === 'stream' || isEvents);
}

/** Throws for a success that the marketplace cannot have sent, such as the page of a proxy. */
function requireJson(body: ArrayBuffer, headers: Headers): void {
  if (body.byteLength === 0) return;
  try {
    JSON.parse(new TextDecoder().decode(body));
  } catch (cause) {
    const type = headers.get('content-type') ?? 'no content type';
    throw new Error(`its answer is not JSON (${type}); a proxy may have answered`, { cause });
  }
}

/** The response with a body whose failures are `MarketApiError`, and whose silences are limited. */
function streamed(
  response: Response,
  total: TimeLimit,
  silence: TimeLimit,
  failure: (error: unknown) => MarketApiError,
): Response {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const settle = () => [silence, total].forEach((limit) => limit.clear());
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        silence.restart();
        const { value, done } = await reader.read();
        silence.clear();
        if (!done) return controller.enqueue(value);
        settle();
        controller.close();
      } catch (error) {
        settle();
        controller.error(failure(error));
      }
    },
    async cancel(reason) {
      settle();
      await reader.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

/** The error of a request that got no answer, with the reason why. */
export function failureOf(
  request: Request,
  cause: unknown,
  { silence, total }: { silence?: TimeLimit; total: TimeLimit },
): MarketApiError {
  const failed = (code: TransportCode, message: string) =>
    new MarketApiError({
      status: 0,
      code,
      message,
      retryable: code !== 'aborted',
      cause,
      idempotencyKey: request.headers.get('idempotency-key') ?? undefined,
    });
  const { origin } = new URL(request.url);
  if (request.signal.aborted) return failed('aborted', 'The request was aborted by its caller.');
  if (total.signal.aborted)
    return failed('timeout', `${origin} did not answer within ${total.ms} ms in all.`);
  if (silence?.signal.aborted) return failed('timeout', `${origin} did not answer within ${silence.ms} ms.`);
  const { message, cause: inner } = cause as Error & { cause?: { code?: string } };
  return failed('unreachable', `${origin} cannot be reached (${inner?.code ?? message}).`);
}

import { MarketApiError, retryAfterMs } from './errors.ts';

export interface RetryOptions {
  /** Further attempts after the first; default 3. 0 turns retries off. */
  maxRetries?: number | undefined;
  /** A longer wait is not waited for: the error is returned at once. Default 60 s. */
  maxRetryWaitMs?: number | undefined;
  /** Called before each wait. */
  onRetry?: ((retry: { attempt: number; waitMs: number; reason: string }) => void) | undefined;
}

const FIRST_WAIT_MS = 250;
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/**
 * A `fetch` that repeats what is safe to repeat, after `Retry-After` or a growing wait. A refusal by a limit (429) is
 * repeated for every method, because the service did nothing. Lost connections and 503 are repeated for methods that
 * may be repeated, and for requests with an idempotency key.
 */
export function withRetries(
  send: typeof fetch,
  options: RetryOptions,
): (request: Request) => Promise<Response> {
  const { maxRetries = 3, maxRetryWaitMs = 60_000, onRetry } = options;
  return async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt > maxRetries;
      const outcome = await attemptOf(send, isLast ? request : request.clone());
      const reason = reasonToRepeat(request, outcome);
      const asked = outcome instanceof Response ? retryAfterMs(outcome) : undefined;
      const waitMs = asked ?? FIRST_WAIT_MS * 2 ** (attempt - 1) * (1 + Math.random());
      if (isLast || reason === undefined || waitMs > maxRetryWaitMs) {
        if (outcome instanceof Response) return outcome;
        throw outcome;
      }
      if (outcome instanceof Response) await outcome.body?.cancel();
      onRetry?.({ attempt, waitMs, reason });
      await wait(waitMs, request.signal);
    }
  };
}

async function attemptOf(send: typeof fetch, request: Request): Promise<Response | Error> {
  try {
    return await send(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    const { message, cause } = error as Error & { cause?: { code?: string } };
    return new MarketApiError({
      status: 0,
      code: 'unreachable',
      message: `${new URL(request.url).origin} cannot be reached (${cause?.code ?? message}).`,
      retryable: true,
      cause: error,
    });
  }
}

function reasonToRepeat(request: Request, outcome: Response | Error): string | undefined {
  const isSafe = REPEATABLE.has(request.method) || request.headers.has('idempotency-key');
  if (outcome instanceof Error) return isSafe ? outcome.message : undefined;
  if (outcome.status === 429) return 'too many requests';
  return outcome.status === 503 && isSafe ? 'the service is not available' : undefined;
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

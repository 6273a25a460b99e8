import { type AnswerFormat, attempt, failureOf, isStream } from './attempt.ts';
import { MarketApiError, retryAfterMs } from './errors.ts';
import { startLimit, type TimeLimit, type TimeLimits } from './time-limits.ts';

export interface RetryOptions extends TimeLimits {
  /** Further attempts after the first; default 3. 0 turns retries off. */
  maxRetries?: number | undefined;
  /** A longer wait is not waited for: the error is returned at once. Default 60 s. */
  maxRetryWaitMs?: number | undefined;
  /** Called before each wait. */
  onRetry?: ((retry: { attempt: number; waitMs: number; reason: string }) => void) | undefined;
}

const FIRST_WAIT_MS = 250;
const DEFAULT_TIMEOUT_MS = 330_000;
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);
/** Statuses of proxies in front of the service, and of the service while it starts. */
const UNAVAILABLE = new Set([502, 503, 504]);

/**
 * A `fetch` that repeats what is safe to repeat, after `Retry-After` or a growing wait. A refusal by a limit (429) is
 * repeated for every method, because the service did nothing. Lost connections, answers that are not whole, attempts
 * beyond `timeoutMs` and 503 are repeated for methods that may be repeated, and for requests with an idempotency key.
 * Rejects with `MarketApiError`. A request may have time limits of its own, as properties.
 */
export function withRetries(
  send: typeof fetch,
  options: RetryOptions,
  formatOf: (request: Request) => AnswerFormat,
): (request: Request & TimeLimits) => Promise<Response> {
  const { maxRetries = 3, maxRetryWaitMs = 60_000, onRetry } = options;
  return async (request) => {
    const timeoutMs = request.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const total = startLimit('totalTimeoutMs', request.totalTimeoutMs ?? options.totalTimeoutMs);
    const format = formatOf(request);
    for (let number = 1; ; number += 1) {
      const isLast = number > maxRetries;
      const copy = isLast ? request : request.clone();
      const outcome = await attempt({ send, request: copy, given: request, format, timeoutMs, total });
      const reason = await reasonToRepeat(request, outcome);
      const asked = outcome instanceof Response ? retryAfterMs(outcome) : undefined;
      const waitMs = asked ?? FIRST_WAIT_MS * 2 ** (number - 1) * (1 + Math.random());
      if (isLast || reason === undefined || waitMs > Math.min(maxRetryWaitMs, total.left()))
        return end(outcome, format, total);
      if (outcome instanceof Response) await outcome.body?.cancel();
      onRetry?.({ attempt: number, waitMs, reason });
      await wait(waitMs, request, total);
    }
  };
}

function end(outcome: Response | MarketApiError, format: AnswerFormat, total: TimeLimit): Response {
  // A stream clears the total limit at its end.
  if (outcome instanceof MarketApiError || !isStream(outcome, format)) total.clear();
  if (outcome instanceof Response) return outcome;
  throw outcome;
}

async function reasonToRepeat(
  request: Request,
  outcome: Response | MarketApiError,
): Promise<string | undefined> {
  const isSafe = REPEATABLE.has(request.method) || request.headers.has('idempotency-key');
  if (outcome instanceof MarketApiError) return isSafe && outcome.retryable ? outcome.message : undefined;
  if (outcome.status === 429) return 'too many requests';
  if (!isSafe || !UNAVAILABLE.has(outcome.status)) return undefined;
  return outcome.status === 503 || !(await isOfTheMarketplace(outcome))
    ? 'the service is not available'
    : undefined;
}

/** Whether the service wrote an error response itself: then its code says what the caller can do. */
async function isOfTheMarketplace(response: Response): Promise<boolean> {
  const body = (await response
    .clone()
    .json()
    .catch(() => undefined)) as { error?: { code?: unknown } } | null | undefined;
  return typeof body?.error?.code === 'string';
}

async function wait(ms: number, request: Request, total: TimeLimit): Promise<void> {
  const { signal } = request;
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      total.clear();
      reject(failureOf(request, signal.reason, { total }));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

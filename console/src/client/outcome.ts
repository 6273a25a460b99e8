/**
 * Requests that move money. An answer may be lost although the request was carried out, so such a request has one
 * idempotency key, and is sent again with it until the outcome is known.
 */
import { ApiError } from './http';

/** Answers that leave open whether the request was carried out. */
const OPEN = new Set(['network', 'internal_error', 'not_ready', 'request_timeout', 'outcome_unknown']);
/** Refusals of a request by itself: they say nothing about an earlier one with the same key. */
const AT_THE_DOOR = new Set([
  'overloaded',
  'rate_limited',
  'concurrency_limited',
  'engine_unavailable',
  'not_authenticated',
]);
const PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];

/** True when this failure leaves open whether the request was carried out. */
export function isOutcomeOpen(error: unknown): boolean {
  // A proxy in between answers with a page of its own.
  return !(error instanceof ApiError) || OPEN.has(error.code) || /^http_5/.test(error.code);
}

interface Following {
  /** Called with each answer that left the outcome open. */
  onDoubt: (error: unknown) => void;
  signal?: AbortSignal;
}

/**
 * Sends a request again until its outcome is known. `attempt` must use the same idempotency key each time. Throws the
 * failure once it is known, and `ApiError` with the code `outcome_unknown` when it could not be found out.
 */
export async function untilKnown<T>(attempt: () => Promise<T>, { onDoubt, signal }: Following): Promise<T> {
  let isInDoubt = false;
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    try {
      return await attempt();
    } catch (error) {
      if (signal?.aborted) throw error;
      const isOpen =
        isOutcomeOpen(error) || (isInDoubt && error instanceof ApiError && AT_THE_DOOR.has(error.code));
      if (!isOpen) throw error;
      isInDoubt = true;
      onDoubt(error);
      if (pauseMs !== undefined) await pause(pauseMs, signal);
    }
  }
  throw new ApiError(
    0,
    'outcome_unknown',
    'The answer was lost, and we could not find out whether this was carried out. Asking again is safe: nothing is charged twice.',
    undefined,
  );
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * The idempotency key of a request that may be under way: the same for the same request until `forget`, also when the
 * page was loaded again. `place` names the button.
 */
export function keyOf(place: string, request: unknown) {
  const name = `outcome:${place}`;
  const wanted = JSON.stringify(request);
  let kept: { request?: string; key?: string } = {};
  try {
    kept = JSON.parse(sessionStorage.getItem(name) ?? '{}') as typeof kept;
  } catch {
    // It was written by something else.
  }
  const key = kept.request === wanted && kept.key ? kept.key : crypto.randomUUID();
  try {
    sessionStorage.setItem(name, JSON.stringify({ request: wanted, key }));
  } catch {
    // A large input does not fit; the key then lasts as long as the request.
  }
  return { key, forget: () => sessionStorage.removeItem(name) };
}

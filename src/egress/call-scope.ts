import { EgressError } from './egress-error';

/**
 * Everything that can end a call early, in one place: the overall deadline (which also ends trickles and endless 1xx
 * answers, that idle timers would let live), the caller's signal, and our own refusal of the answer.
 */
export interface CallScope {
  /** Called once when the call fails, at once when it has; replaces the former `onFail`. */
  onFail(act: (reason: EgressError) => void): void;
  /** Ends the call with `reason`; returns the reason that counts: the first one. */
  fail(reason: EgressError): EgressError;
  /** The call is over: no timer and no listener stays behind, and nothing fails it any more. */
  finish(): void;
  /** Waits for `work`, but not beyond the end of the call. */
  within<T>(work: Promise<T>): Promise<T>;
}

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** `deadlineMs`: when the call must be over, in milliseconds since the epoch. */
export function startCallScope(deadlineMs: number, outer: AbortSignal | undefined): CallScope {
  let failure: EgressError | undefined;
  let isOver = false;
  let failed: (reason: EgressError) => void = () => undefined;
  const onAbort = () => fail(new EgressError('aborted', 'the call was aborted'));
  const onDeadline = () => fail(new EgressError('timeout', 'the deadline of the call has passed'));
  const remainingMs = deadlineMs - Date.now();
  const timer = setTimeout(onDeadline, Math.min(Math.max(remainingMs, 0), LONGEST_TIMER_MS));
  outer?.addEventListener('abort', onAbort, { once: true });
  if (outer?.aborted) onAbort();
  else if (remainingMs <= 0) onDeadline();

  function finish(): void {
    isOver = true;
    clearTimeout(timer);
    outer?.removeEventListener('abort', onAbort);
  }

  function fail(reason: EgressError): EgressError {
    if (isOver) return failure ?? reason;
    failure = reason;
    finish();
    failed(reason);
    return reason;
  }

  function onFail(act: (reason: EgressError) => void): void {
    failed = act;
    if (failure) act(failure);
  }

  return {
    onFail,
    fail,
    finish,
    within: (work) =>
      new Promise((resolve, reject) => {
        onFail(reject);
        work.then(resolve, reject);
      }),
  };
}

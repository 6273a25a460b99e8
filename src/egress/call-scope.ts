import { EgressError } from './egress-error';

/**
 * Everything that can end a call, in one signal: the overall deadline (which also ends trickles and endless 1xx
 * answers, that idle timers would let live), the caller's signal, and our own refusal of the answer.
 */
export interface CallScope {
  signal: AbortSignal;
  /** Ends the call with `reason` and frees its socket; returns the reason that counts: the first one. */
  fail(reason: EgressError): EgressError;
  /** The call is over: no timer and no listener stays behind. */
  finish(): void;
  /** Waits for `work`, but not beyond the end of the call. */
  within<T>(work: Promise<T>): Promise<T>;
}

/** `deadlineMs`: when the call must be over, in milliseconds since the epoch. */
export function startCallScope(deadlineMs: number, outer: AbortSignal | undefined): CallScope {
  const controller = new AbortController();
  const { signal } = controller;
  const onAbort = () => fail(new EgressError('aborted', 'the call was aborted'));
  const onDeadline = () => fail(new EgressError('timeout', 'the deadline of the call has passed'));
  const remainingMs = deadlineMs - Date.now();
  const timer = setTimeout(onDeadline, Math.max(remainingMs, 0));
  outer?.addEventListener('abort', onAbort, { once: true });
  if (outer?.aborted) onAbort();
  else if (remainingMs <= 0) onDeadline();

  function finish(): void {
    clearTimeout(timer);
    outer?.removeEventListener('abort', onAbort);
  }

  function fail(reason: EgressError): EgressError {
    finish();
    controller.abort(reason); // a second abort changes nothing
    return signal.reason as EgressError;
  }

  async function within<T>(work: Promise<T>): Promise<T> {
    let onEnd: (() => void) | undefined;
    const end = new Promise<never>((_resolve, reject) => {
      onEnd = () => reject(signal.reason as EgressError);
      if (signal.aborted) onEnd();
      else signal.addEventListener('abort', onEnd, { once: true });
    });
    try {
      return await Promise.race([work, end]);
    } finally {
      if (onEnd) signal.removeEventListener('abort', onEnd);
    }
  }

  return { signal, fail, finish, within };
}

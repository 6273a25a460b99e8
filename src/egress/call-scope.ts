import { EgressError } from './egress-error';

/**
 * Tracks everything that can end a call early: the overall deadline, which also ends slow trickles and endless 1xx
 * responses that idle timers would not; the caller's signal; and the refusal of the response.
 */
export interface CallScope {
  /**
   * Registers the action on failure; replaces an earlier one. The action runs once, immediately when the call has
   * already failed.
   */
  onFail(act: (reason: EgressError) => void): void;
  /** Fails the call with `reason`. Returns the effective reason, which is the first one. */
  fail(reason: EgressError): EgressError;
  /** Ends the call: removes its timer and listener; later failures are ignored. */
  end(): void;
  /** Waits for `work`, but not beyond the end of the call. */
  within<T>(work: Promise<T>): Promise<T>;
}

/** Longest delay of a Node.js timer; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Starts a call that must end by `deadlineMs`, in epoch milliseconds. */
export function startCallScope(deadlineMs: number, outer: AbortSignal | undefined): CallScope {
  let failure: EgressError | undefined;
  let isOver = false;
  let failed: (reason: EgressError) => void = () => undefined;
  const onAbort = () => fail(new EgressError('aborted', 'the call was aborted'));
  const onDeadline = () => fail(new EgressError('timeout', 'the call exceeded its deadline'));
  const remainingMs = deadlineMs - Date.now();
  const timer = setTimeout(onDeadline, Math.min(Math.max(remainingMs, 0), LONGEST_TIMER_MS));
  outer?.addEventListener('abort', onAbort, { once: true });
  if (outer?.aborted) onAbort();
  else if (remainingMs <= 0) onDeadline();

  function end(): void {
    isOver = true;
    clearTimeout(timer);
    outer?.removeEventListener('abort', onAbort);
  }

  function fail(reason: EgressError): EgressError {
    if (isOver) return failure ?? reason;
    failure = reason;
    end();
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
    end,
    within: (work) =>
      new Promise((resolve, reject) => {
        onFail(reject);
        work.then(resolve, reject);
      }),
  };
}

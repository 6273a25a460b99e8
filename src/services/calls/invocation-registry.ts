import type { InFlightCall, InFlightCalls, CallResult, NewCall } from './agent/in-flight';

/**
 * The in-flight calls of this process, with their bodies and the promises that their callers await. Bodies and sockets
 * never leave the process that accepted the call. The workflow's steps find the calls here by invocation id.
 */
export interface InvocationRegistry extends InFlightCalls {
  readonly owner: string;
  readonly size: number;
  open(call: NewCall): InFlightCall;
  /** Ends all running calls: their callers get a retryable `engine_unavailable`, and their workflows refund them. */
  endAll(): void;
  /** Returns the ids of calls that have been open for longer than `ageMs`. */
  olderThan(ageMs: number): string[];
}

/** Without a reason, each `abort` creates this error anew, with a stack. */
const ENDED = new DOMException('the call has ended', 'AbortError');

export function createInvocationRegistry(owner: string): InvocationRegistry {
  const calls = new Map<string, InFlightCall>();
  return {
    owner,
    get size() {
      return calls.size;
    },
    open(call) {
      let resolve: (result: CallResult) => void = () => {};
      const done = new Promise<CallResult>((settle) => (resolve = settle));
      const over = new AbortController();
      const entry: InFlightCall = {
        ...call,
        output: null,
        outputSha256: null,
        usage: null,
        durationMs: 0,
        openedAtMs: performance.now(),
        done,
        ended: over.signal,
        permittedAtMs: call.held ? Date.now() : null,
        failure: null,
        forwarding: null,
        delivery: null,
        finish(result) {
          entry.input = null;
          entry.output = null;
          calls.delete(entry.invocationId);
          over.abort(ENDED);
          resolve(result);
        },
      };
      calls.set(entry.invocationId, entry);
      return entry;
    },
    find: (invocationId) => calls.get(invocationId),
    endAll() {
      for (const call of [...calls.values()])
        call.finish({ ok: false, code: 'engine_unavailable', isGivenUp: true });
    },
    olderThan(ageMs) {
      const limit = performance.now() - ageMs;
      return [...calls.values()].filter((call) => call.openedAtMs < limit).map((call) => call.invocationId);
    },
  };
}

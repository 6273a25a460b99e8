/** How long the caller of a call waits for it, while the call itself goes on. */
import type { Served } from '../services/calls/invocation-deliveries';

/** How long the response to a request without `Prefer` waits for a job. */
export const JOB_PATIENCE_MS = 25_000;

/** A call that goes on without its caller. */
export interface BegunCall {
  invocationId: string;
}

/**
 * How a call began: accepted as new, kept for a worker, because its agent takes jobs (also by an earlier request with
 * the same key), attached to another running call, or replayed from an earlier one.
 */
export type Beginning = 'accepted' | 'kept' | 'attached' | 'replayed';

/**
 * Called when a call can no longer be refused. Resolves when its caller no longer waits for it; undefined: the caller
 * waits until the end. `ended` aborts when the caller has its answer.
 */
export type Patience = (
  how: Beginning,
  invocationId: string,
  ended: AbortSignal,
) => Promise<void> | undefined;

export type ReportBegun = (how: Beginning, invocationId: string) => void;

/** The patience of a caller that waits for `waitMs`; undefined: for a job 25 s, else until the end. */
export function forMs(waitMs: number | undefined): Patience {
  return (how, _invocationId, ended) => {
    const mostMs = waitMs ?? (how === 'kept' ? JOB_PATIENCE_MS : undefined);
    return mostMs === undefined ? undefined : pause(mostMs, ended);
  };
}

function pause(ms: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    ended.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}

/** Resolves with the id of a call that has not ended when its caller no longer waits, and aborts its patience. */
export function withinPatience<Call extends { served: Served | undefined }>(
  wait: Patience,
  run: (patience: AbortSignal, begun: ReportBegun) => Promise<Call>,
): Promise<Call | BegunCall> {
  const patience = new AbortController();
  const ended = new AbortController();
  return new Promise((resolve, reject) => {
    const begun: ReportBegun = (how, invocationId) => {
      if (how === 'replayed') return;
      const leave = () => {
        if (ended.signal.aborted) return;
        resolve({ invocationId });
        patience.abort();
      };
      void wait(how, invocationId, ended.signal)?.then(leave, leave);
    };
    run(patience.signal, begun)
      .then((call) => {
        // An answer that comes later than the response serves no caller; it stays stored.
        if (patience.signal.aborted) call.served?.(false);
        resolve(call);
      }, reject)
      .finally(() => ended.abort());
  });
}

/**
 * Stops asking something that does not answer: after `threshold` failures in a row, and no success for `silentMs`, it
 * stays open for `openMs`, then lets one attempt through. Failures beside successes are load, not absence: under them
 * it stays closed. Time is injected, so that tests need not wait.
 */
export interface CircuitBreaker {
  /** False while the breaker is open; true reserves the attempt. */
  tryPass(): boolean;
  succeeded(): void;
  failed(): void;
  readonly isOpen: boolean;
}

export function createCircuitBreaker(options: {
  threshold: number;
  silentMs: number;
  openMs: number;
  now?: () => number;
}): CircuitBreaker {
  const now = options.now ?? (() => performance.now());
  let failures = 0;
  let succeededAt = -Infinity;
  /** Undefined while the breaker is closed. */
  let openUntil: number | undefined;
  let probing = false;
  return {
    tryPass() {
      if (openUntil === undefined) return true;
      if (now() < openUntil || probing) return false;
      probing = true;
      return true;
    },
    succeeded() {
      failures = 0;
      succeededAt = now();
      openUntil = undefined;
      probing = false;
    },
    failed() {
      failures += 1;
      probing = false;
      if (failures >= options.threshold && now() - succeededAt >= options.silentMs) {
        openUntil = now() + options.openMs;
      }
    },
    get isOpen() {
      return openUntil !== undefined && (now() < openUntil || probing);
    },
  };
}

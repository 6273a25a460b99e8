/**
 * Circuit breaker for a dependency. It opens after `threshold` consecutive failures without a success for `silentMs`,
 * stays open for `openMs`, and then lets one attempt through. Failures mixed with successes are a sign of load rather
 * than of an outage, so the breaker stays closed then. The clock is injected, so that tests need not wait.
 */
export interface CircuitBreaker {
  /** Returns false while the breaker is open. True means that the caller must attempt, and report the result. */
  tryPass(): boolean;
  succeeded(): void;
  failed(): void;
  readonly isOpen: boolean;
  /** True from the first opening until an attempt succeeds, also while an attempt may pass. */
  readonly isProbing: boolean;
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
    get isProbing() {
      return openUntil !== undefined;
    },
    get isOpen() {
      return openUntil !== undefined && (now() < openUntil || probing);
    },
  };
}

/**
 * Stops asking something that does not answer: after `threshold` failures in a row it stays open for `openMs`, then
 * lets one attempt through. Time is injected, so that tests need not wait.
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
  openMs: number;
  now?: () => number;
}): CircuitBreaker {
  const now = options.now ?? (() => performance.now());
  let failures = 0;
  let openUntil = 0;
  let probing = false;
  return {
    tryPass() {
      if (failures < options.threshold) return true;
      if (now() < openUntil || probing) return false;
      probing = true;
      return true;
    },
    succeeded() {
      failures = 0;
      probing = false;
    },
    failed() {
      failures += 1;
      probing = false;
      if (failures >= options.threshold) openUntil = now() + options.openMs;
    },
    get isOpen() {
      return failures >= options.threshold && (now() < openUntil || probing);
    },
  };
}

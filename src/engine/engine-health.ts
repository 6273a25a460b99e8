/** Whether the engine is there: its pulse, and a circuit breaker for the starts of workflows. */
import type { Client } from '@temporalio/client';
import { withDeadline } from './deadline';

const TICK_MS = 100;
/** A process whose timers are later than this had no CPU itself. */
const MOST_OF_TICK_MS = 200;
const ASK_EVERY_TICKS = 4;
const ASK_DEADLINE_MS = 1_400;
/**
 * An engine that has not answered for this long is away. A slow engine answers sooner, because it reads nothing for
 * this answer.
 */
const SILENT_MS = 1_500;

interface EnginePulse {
  /** True while the engine does not answer. */
  isSilent(): boolean;
  /** Records an answer of the engine. */
  heard(): void;
  stop(): void;
}

export interface EngineHealthDeps {
  /** Undefined while Temporal was never reached. */
  client: () => Client | undefined;
  now: () => number;
}

/**
 * Asks the engine again and again whether it is there, so that its absence is noticed within 2 s, also while no calls
 * come. Any answer counts, from a start as well. Time in which this process had no CPU does not count as silence of the
 * engine.
 */
function startEnginePulse({ client: clientNow, now }: EngineHealthDeps): EnginePulse {
  let silentMs = 0;
  let tickedAt = now();
  let ticks = 0;

  const heard = () => void (silentMs = 0);

  function tick(): void {
    const client = clientNow();
    const elapsedMs = now() - tickedAt;
    tickedAt = now();
    silentMs = client ? silentMs + Math.min(elapsedMs, MOST_OF_TICK_MS) : 0;
    ticks += 1;
    if (!client || ticks % ASK_EVERY_TICKS !== 0) return;
    withDeadline(client, ASK_DEADLINE_MS, async () => client.workflowService.getSystemInfo({})).then(
      heard,
      () => undefined,
    );
  }

  const timer = setInterval(tick, TICK_MS).unref();
  return {
    isSilent: () => silentMs >= SILENT_MS,
    heard,
    stop: () => clearInterval(timer),
  };
}

/** What a process knows about the engine from its starts of workflows and from its pulse. */
export interface EngineHealth {
  /** True while the engine does not answer, or while starts failed: new calls are refused. */
  isAway(): boolean;
  /** False while no start may be attempted. True means that the caller must attempt one, and report the result. */
  tryPass(): boolean;
  succeeded(): void;
  failed(): void;
  stop(): void;
}

export function startEngineHealth(deps: EngineHealthDeps): EngineHealth {
  const breaker = createCircuitBreaker({ threshold: 3, silentMs: 1_000, openMs: 1_000, now: deps.now });
  const pulse = startEnginePulse(deps);
  return {
    isAway: () => breaker.isProbing || pulse.isSilent(),
    tryPass: breaker.tryPass,
    succeeded() {
      breaker.succeeded();
      // An answer to a start proves that the engine is there, too.
      pulse.heard();
    },
    failed: breaker.failed,
    stop: pulse.stop,
  };
}

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

/**
 * Asks the engine again and again whether it is there, so that its absence is noticed within 2 s, also while no calls
 * come. Any answer counts, from a start as well. Time in which this process had no CPU does not count as silence of the
 * engine.
 */
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

export interface EnginePulse {
  /** True while the engine does not answer. */
  isSilent(): boolean;
  /** Records an answer of the engine. */
  heard(): void;
  stop(): void;
}

export interface EnginePulseDeps {
  /** Undefined while Temporal was never reached. */
  client: () => Client | undefined;
  now: () => number;
}

export function startEnginePulse({ client: clientNow, now }: EnginePulseDeps): EnginePulse {
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

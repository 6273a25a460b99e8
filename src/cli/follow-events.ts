import { setTimeout as sleep } from 'node:timers/promises';
import type { MarketApi } from './api-client';
import { CliFailure, EXIT } from './failure';

/** An event of the account's stream (docs/webhooks.md#the-event-stream). */
export interface AccountEvent {
  id: string;
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

export interface FollowOptions {
  types: readonly string[];
  signal: AbortSignal;
  /** Called when the stream is open, and again after each connection. `isComplete`: no event is missing. */
  onReady: (isComplete: boolean) => void;
  /** Called before each pause after a lost connection. */
  onLost?: (reason: string) => void;
}

const PATH = '/v1/events/stream';
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Yields the events of the account until the signal aborts. Connects again after a lost connection and resumes behind
 * the last event. Throws `CliFailure` if the marketplace refuses the first connection, or a later one for good.
 */
export async function* followEvents(api: MarketApi, options: FollowOptions): AsyncGenerator<AccountEvent> {
  const { types, signal, onReady, onLost } = options;
  let position: string | undefined;
  let pauseMs = PAUSE_MS;
  while (!signal.aborted) {
    try {
      const query = new URLSearchParams(types.map((type): [string, string] => ['type', type]));
      const path = types.length > 0 ? `${PATH}?${query.toString()}` : PATH;
      for await (const { event, id, data } of api.events(path, position, signal)) {
        position = id ?? position;
        pauseMs = PAUSE_MS;
        if (event === 'ready') onReady((JSON.parse(data) as { complete: boolean }).complete);
        else yield JSON.parse(data) as AccountEvent;
      }
    } catch (error) {
      if (signal.aborted) return;
      const isTemporary = error instanceof CliFailure && error.exitCode === EXIT.later;
      if (!isTemporary || position === undefined) throw error;
      onLost?.(error.message);
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}

/** A signal that aborts at Ctrl-C, or when the process shall end. */
export function untilInterrupted(): { signal: AbortSignal; end: () => void } {
  const gone = new AbortController();
  const stop = () => gone.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return {
    signal: gone.signal,
    end: () => void process.off('SIGINT', stop).off('SIGTERM', stop),
  };
}

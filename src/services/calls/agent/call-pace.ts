import { timeOfId } from '../../../domain/instant';
import { BoundedMap } from '../../../kit/bounded-map';

/** How much later one moment of a call is than another, in ms. */
export interface Pace {
  /** From the creation of the trace id to that of the invocation id. */
  acceptMs: number;
  /** From the creation of the invocation id to the request to the agent. */
  forwardMs: number;
}

/**
 * Remembers the pace of the latest calls of buyers, so that probes can take the same time: an agent reads the age of a
 * call from its ids.
 */
export interface CallPace {
  /** Records a call that is sent to its agent now. */
  note(call: { invocationId: string; traceId: string; agentId: string }): void;
  /** The pace of a random recent call. */
  draw(): Pace;
  /** The pause between two recent calls of an agent, in ms, at random; 0 without recent traffic. */
  pauseMs(agentId: string): number;
}

const KEPT = 64;
const KEPT_AGENTS = 1_000;
const KEPT_TIMES = 32;
/** Before any call: typical times of an idle service. */
const FIRST: readonly Pace[] = [2, 3, 4, 5, 6].map((ms) => ({ acceptMs: ms, forwardMs: ms + 4 }));
/** A longer age is that of a retry, of a task, or of a trace that the caller brought. */
const MOST_MS = 1_000;
/** A run of the serving version makes some 25 calls, and must not take minutes. */
const MOST_PAUSE_MS = 500;

export function createCallPace(random: () => number = Math.random): CallPace {
  const paces: Pace[] = [...FIRST];
  const times = new BoundedMap<string, number[]>(KEPT_AGENTS);
  let next = 0;
  let isFirst = true;

  return {
    note({ invocationId, traceId, agentId }) {
      const now = Date.now();
      const created = timeOfId(invocationId);
      const pace = { acceptMs: created - timeOfId(traceId), forwardMs: now - created };
      if (inRange(pace.acceptMs) && inRange(pace.forwardMs)) {
        if (isFirst) paces.length = 0;
        isFirst = false;
        paces[next] = pace;
        next = (next + 1) % KEPT;
      }
      const seen = times.get(agentId) ?? [];
      seen.push(now);
      if (seen.length > KEPT_TIMES) seen.shift();
      times.set(agentId, seen);
    },

    draw: () => paces[Math.floor(random() * paces.length)] ?? { acceptMs: 3, forwardMs: 7 },

    pauseMs(agentId) {
      const seen = times.get(agentId) ?? [];
      const at = 1 + Math.floor(random() * (seen.length - 1));
      const pause = (seen[at] ?? 0) - (seen[at - 1] ?? 0);
      return seen.length < 2 ? 0 : Math.min(MOST_PAUSE_MS, Math.max(0, pause));
    },
  };
}

function inRange(ms: number): boolean {
  return ms >= 0 && ms <= MOST_MS;
}

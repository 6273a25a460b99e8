/**
 * What this process remembers of the calls of buyers: how they end, which listings and verification read, and their
 * pace, which probes imitate.
 */
import type { ErrorCode } from '../../../domain/errors';
import { callFault } from '../../../domain/calls/call-fault';
import { refusesInput } from '../../../domain/calls/failure-facts';
import { isEvidence } from '../../../domain/verification/behaviour';
import type { Logger } from '../../../logger';
import type { DbPool } from '../../../stores/db';
import { addTallies, type TallyItem } from '../../../stores/calls/call-tallies';
import { timeOfId } from '../../../domain/instant';
import { BoundedMap } from '../../../kit/bounded-map';
import type { InFlightCall } from './in-flight';

/** How long outcomes are collected before they are stored. */
const FLUSH_MS = 1_000;
/** Pairs of agent and buyer that are collected; calls of further ones are not counted. */
const MOST_PAIRS = 10_000;

/** What is known of the end of a call besides its code. */
interface OutcomeFacts {
  /** The status of an agent that refused. */
  status?: number | undefined;
  /** What a success is charged. */
  units?: number;
  /** It counts for the agent, whatever its code. */
  isOfAgent?: boolean;
}

type CountedCall = Pick<
  InFlightCall,
  'version' | 'buyerUserId' | 'priceUnits' | 'ended' | 'durationMs' | 'isJob'
>;

/**
 * Counts how paid calls end, by agent and buyer. Listings show them (`stores/catalogue/agent-stats.ts`), and
 * verification compares them with the run (`domain/verification/behaviour.ts`). Outcomes are collected in memory and
 * stored each second, so that calls do not wait. A crash loses the last second.
 */
export function createCallTallies({ pool, logger }: { pool: DbPool; logger: Pick<Logger, 'warn'> }) {
  let open = new Map<string, TallyItem>();
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> = Promise.resolve();

  async function store(items: TallyItem[]): Promise<void> {
    try {
      await addTallies(pool, items);
    } catch (error) {
      logger.warn({ err: error, pairs: items.length }, 'outcomes of calls were not counted');
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const items = [...open.values()];
    open = new Map();
    if (items.length > 0) storing = storing.then(() => store(items));
    return storing;
  }

  return {
    /**
     * Records the outcome of a call. `code`: null for a success. Ignores errors that are not the agent's, unless
     * `isOfAgent` says that this one counts for it; successes that cost nothing; calls that say nothing about the
     * agent; and a call that was ended before.
     */
    note(
      { version, buyerUserId, priceUnits, ended, durationMs, isJob }: CountedCall,
      code: ErrorCode | null,
      { status, units = 0, isOfAgent = false }: OutcomeFacts = {},
    ): void {
      if (code === null ? units === 0 : !isOfAgent && callFault(code) !== 'agent') return;
      const { agentId, developerUserId } = version;
      if (ended.aborted || !isEvidence({ buyerUserId, developerUserId, priceUnits })) return;
      const pair = `${agentId} ${buyerUserId}`;
      if (open.size >= MOST_PAIRS && !open.has(pair)) return;
      const tally = open.get(pair) ?? {
        agent_id: agentId,
        buyer_user_id: buyerUserId,
        succeeded: 0,
        refused: 0,
        failed: 0,
        code: null,
      };
      const isRefused = code === 'agent_error' && status !== undefined && refusesInput(status);
      tally.units = (tally.units ?? 0) + units;
      if (code === null) {
        tally.succeeded += 1;
        tally[isJob ? 'job_duration_ms' : 'duration_ms'] ??= durationMs;
      } else if (isRefused) tally.refused += 1;
      else {
        tally.failed += 1;
        tally.code = code;
      }
      open.set(pair, tally);
      timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
    },

    /** Stores what was collected. */
    flush,
  };
}

export type CallTallies = ReturnType<typeof createCallTallies>;

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
  note(call: Pick<InFlightCall, 'invocationId' | 'traceId' | 'version'>): void;
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
    note({ invocationId, traceId, version: { agentId } }) {
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

import { MarketError } from '../../domain/errors';
import { isFinal, type InvocationStatus } from '../../domain/calls/invocation-state';
import { type CallCounts, daysOf, windowProblems } from '../../domain/catalogue/usage';
import { timeOfId } from '../../domain/instant';
import { lowestIdAt } from '../../kit/ids/ids';
import { readSales } from '../../stores/catalogue/sales';
import {
  type AgentCallRow,
  listAgentCalls,
  readAgentCall,
  readLastDayWith,
} from '../../stores/calls/agent-calls';
import type { AgentRow } from '../../stores/catalogue/agents';
import { readListing } from '../../stores/catalogue/listings';
import type { Db, DbPool } from '../../stores/db';
import { type Latency, NO_LATENCY } from '../../stores/catalogue/latencies';
import { readDays, readErrorCodes, readUsage } from '../../stores/catalogue/usage';
import { readOwnAgent } from './own-agent';

const DAY_MS = 86_400_000;
const DEFAULT_WINDOW_MS = 30 * DAY_MS;

/** Largest assumed difference between the clocks of two processes. */
const CLOCK_SLACK_MS = 3_600_000;

export type AgentCall = AgentCallRow;

export interface AgentCallsRequest {
  agentId: string;
  /** The caller. Only the owner of the agent may read its calls. */
  userId: string;
  status?: InvocationStatus | undefined;
  /** Only calls older than this id. */
  beforeId?: string | undefined;
  limit: number;
}

export interface UsageRequest {
  agentId: string;
  /** The caller. Only the owner of the agent may read its usage. */
  userId: string;
  since?: Date | undefined;
  until?: Date | undefined;
}

/**
 * Usage statistics for the owner of an agent. Throws `forbidden` for an agent of another account that the caller may
 * see, else `not_found`.
 */
export function createUsage(deps: { pool: DbPool; reads?: Db; now?: () => Date }) {
  const { pool, reads = pool, now = () => new Date() } = deps;

  return {
    /** Calls and earnings since a time, or since the agent was created. Refunded charges are not counted. */
    async usage({ agentId, userId, since }: UsageRequest) {
      const agent = await requireOwn(pool, userId, agentId);
      const from = since ?? agent.createdAt;
      // Every call is younger than its agent: the whole first day costs less to read than its part.
      const start = since ?? new Date(Math.floor(from.getTime() / DAY_MS) * DAY_MS);
      // Open-ended: calls that are accepted during the query may or may not be counted.
      const until = new Date(Math.max(now().getTime(), from.getTime()) + DAY_MS);
      const counts = await readUsage(reads, { agentId, since: start, until });
      return { ...counts, netUnits: counts.grossUnits - counts.feeUnits, agentId, since: from };
    },

    /** Statistics per day for up to 366 days; default: the last 30. Days without calls are included with zeros. */
    async analytics({ agentId, userId, until = now(), ...request }: UsageRequest) {
      const since = request.since ?? new Date(Math.max(0, until.getTime() - DEFAULT_WINDOW_MS));
      const detail = windowProblems(since, until);
      if (detail.length > 0) throw new MarketError('validation_failed', { detail });
      await requireOwn(pool, userId, agentId);
      const window = { agentId, since, until };
      // A window that reaches the present contains its last day to the end.
      const read = until < now() ? window : { ...window, until: new Date(until.getTime() + DAY_MS) };
      const [{ days, total }, errors] = await Promise.all([
        readDays(reads, read),
        readErrorCodes(reads, read),
      ]);
      const byDate = new Map(days.map((day) => [day.date, day]));
      return {
        ...window,
        total,
        days: daysOf(since, until).map((date) => ({ ...(byDate.get(date) ?? NO_CALLS), date })),
        errors,
      };
    },

    /**
     * Calls of an agent, newest first. Days without a call of the wanted status are passed over by the figures of days,
     * so that a rare failure is found behind millions of successes.
     */
    async calls({ agentId, userId, status, limit, ...page }: AgentCallsRequest) {
      await readOwnAgent(pool, userId, agentId);
      let { beforeId } = page;
      if (status !== undefined && isFinal(status)) {
        const until = beforeId === undefined ? now() : new Date(timeOfId(beforeId) + CLOCK_SLACK_MS);
        const day = await readLastDayWith(pool, { agentId, status, until });
        if (!day) return { rows: [], total: 0, scannedTo: undefined };
        const behindDay = lowestIdAt('inv', day.getTime() + DAY_MS + CLOCK_SLACK_MS);
        beforeId = beforeId !== undefined && beforeId < behindDay ? beforeId : behindDay;
      }
      return listAgentCalls(pool, { agentId, status, beforeId, limit });
    },

    ...createSales({ pool, reads, now }),
  };
}

/** What a developer reads of all own agents, and of one call. */
function createSales({ pool, reads, now }: { pool: DbPool; reads: Db; now: () => Date }) {
  return {
    /** What all agents of a developer sold by UTC day and agent. Throws 422 for a window of more than 366 days. */
    async sales({ userId, until = now(), ...request }: Omit<UsageRequest, 'agentId'>) {
      const since = request.since ?? new Date(Math.max(0, until.getTime() - DEFAULT_WINDOW_MS));
      const detail = windowProblems(since, until);
      if (detail.length > 0) throw new MarketError('validation_failed', { detail });
      const days = daysOf(since, until);
      const sold = await readSales(reads, { userId, firstDay: days[0] ?? '', lastDay: days.at(-1) ?? '' });
      const byDate = new Map(sold.days.map((day) => [day.date, day]));
      return {
        ...sold,
        days: days.map((date) => byDate.get(date) ?? { date, calls: 0, failed: 0, netUnits: 0 }),
      };
    },

    /** One call of an own agent. Throws `not_found` for agents of others and their calls. */
    async call({ agentId, userId, invocationId }: Record<'agentId' | 'userId' | 'invocationId', string>) {
      await readOwnAgent(pool, userId, agentId);
      const call = await readAgentCall(pool, agentId, invocationId);
      if (!call) throw new MarketError('not_found');
      return call;
    },
  };
}

export type UsageService = ReturnType<typeof createUsage>;

export type Figures = CallCounts & Latency;

/** The figures of a day without calls. */
const NO_CALLS: Figures & { netUnits: number } = {
  calls: 0,
  succeeded: 0,
  failed: 0,
  disputed: 0,
  agentErrors: 0,
  ...NO_LATENCY,
  netUnits: 0,
};

async function requireOwn(db: Db, userId: string, agentId: string): Promise<AgentRow> {
  try {
    return await readOwnAgent(db, userId, agentId);
  } catch (error) {
    if (!(await readListing(db, agentId, userId))) throw error;
    throw new MarketError('forbidden', {
      message: 'The agent belongs to another account, which alone sees its usage.',
    });
  }
}

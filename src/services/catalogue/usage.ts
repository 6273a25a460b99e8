import { MarketError } from '../../domain/errors';
import { parseInstant } from '../../domain/instant';
import { splitGross, unitsToCredits } from '../../domain/ledger/money';
import { type CallCounts, daysOf, successRate } from '../../domain/catalogue/usage';
import { type AgentRow, readAgent } from '../../stores/catalogue/agents';
import type { DbPool } from '../../stores/db';
import { type Latency, readDays, readErrorCodes, readUsage } from '../../stores/catalogue/usage';

const DAY_MS = 86_400_000;
const DEFAULT_WINDOW_MS = 30 * DAY_MS;
export const MAX_WINDOW_DAYS = 366;

export interface UsageRequest {
  agentId: string;
  /** Who asks: only the owner is told. */
  userId: string;
  /** ISO 8601. */
  since?: string | undefined;
  until?: string | undefined;
}

/** What the owner of an agent reads about its calls (contract, "Billing", and specification, "Seller registration"). */
export function createUsage(deps: { pool: DbPool; now?: () => Date }) {
  const { pool, now = () => new Date() } = deps;

  async function ownAgent({ agentId, userId }: UsageRequest): Promise<AgentRow> {
    const agent = await readAgent(pool, agentId);
    if (!agent || agent.developerUserId !== userId) throw new MarketError('not_found');
    return agent;
  }

  return {
    /** Calls and money since a time, or since the agent exists. A charge that was taken back counts for nothing. */
    async usage(request: UsageRequest) {
      const since = readTime('since', request.since);
      const agent = await ownAgent(request);
      const from = since ?? agent.createdAt;
      // No end: what is accepted while we read counts or not, as it comes.
      const until = new Date(Math.max(now().getTime(), from.getTime()) + DAY_MS);
      const counts = await readUsage(pool, { agentId: agent.agentId, since: from, until });
      const { feeUnits, netUnits } = splitGross(counts.grossUnits);
      return {
        agent_id: agent.agentId,
        since: from.toISOString(),
        calls: counts.calls,
        succeeded: counts.succeeded,
        failed: counts.failed,
        gross_credits: unitsToCredits(counts.grossUnits),
        developer_earnings_credits: unitsToCredits(netUnits),
        platform_fee_credits: unitsToCredits(feeUnits),
      };
    },

    /** Per-day figures of at most 366 days; by default the last 30. Days without calls are there, with zeros. */
    async analytics(request: UsageRequest) {
      const until = readTime('until', request.until) ?? now();
      const since =
        readTime('since', request.since) ?? new Date(Math.max(0, until.getTime() - DEFAULT_WINDOW_MS));
      requireWindow(since, until);
      const { agentId } = await ownAgent(request);
      const window = { agentId, since, until };
      const [{ days, total }, errors] = await Promise.all([
        readDays(pool, window),
        readErrorCodes(pool, window),
      ]);
      const byDate = new Map(days.map((day) => [day.date, day]));
      return {
        agent_id: agentId,
        since: since.toISOString(),
        until: until.toISOString(),
        ...toFigures(total),
        days: daysOf(since, until).map((date) => ({ date, ...toFigures(byDate.get(date) ?? NOTHING) })),
        errors,
      };
    },
  };
}

export type UsageService = ReturnType<typeof createUsage>;

const NOTHING = { calls: 0, succeeded: 0, failed: 0, disputed: 0, p50Ms: null, p95Ms: null };

function toFigures(counts: CallCounts & Latency) {
  return {
    calls: counts.calls,
    succeeded: counts.succeeded,
    failed: counts.failed,
    disputed: counts.disputed,
    success_rate: successRate(counts),
    p50_ms: counts.p50Ms,
    p95_ms: counts.p95Ms,
  };
}

function readTime(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = parseInstant(text);
  if (!time) throw invalid(name, 'is not a time that ISO 8601 knows, from 1970 to 9999', 'time');
  return time;
}

function requireWindow(since: Date, until: Date): void {
  if (since >= until) throw invalid('since', 'must be before until', 'window');
  if (until.getTime() - since.getTime() > MAX_WINDOW_DAYS * DAY_MS) {
    throw invalid('since', `must be at most ${MAX_WINDOW_DAYS} days before until`, 'window');
  }
}

function invalid(name: string, msg: string, type: string): MarketError {
  return new MarketError('validation_failed', { detail: [{ loc: ['query', name], msg, type }] });
}

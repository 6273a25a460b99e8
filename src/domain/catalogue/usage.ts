import type { FieldProblem } from '../errors';

/** Call counts of an agent, for its owner. Free calls are included; disputed calls are refunded. */
export interface CallCounts {
  /** All accepted calls, including those in progress. */
  calls: number;
  succeeded: number;
  failed: number;
  disputed: number;
  /**
   * Ended calls that failed by a fault of the agent (`call_fault`), or whose charge a dispute took back. Calls whose
   * input the agent refused are none.
   */
  agentErrors: number;
}

const DAY_MS = 86_400_000;
const MAX_WINDOW_DAYS = 366;

/** The problem of a window of days that is empty or too long. */
export function windowProblems(since: Date, until: Date): FieldProblem[] {
  const wrong = (msg: string): FieldProblem[] => [{ loc: ['query', 'since'], msg, type: 'window' }];
  if (since >= until) return wrong('must be before until');
  if (until.getTime() - since.getTime() > MAX_WINDOW_DAYS * DAY_MS)
    return wrong(`must be at most ${MAX_WINDOW_DAYS} days before until`);
  return [];
}

/**
 * The share of calls that succeeded, of those that succeeded or failed by a fault of the agent, with 4 decimals; null
 * without such calls. Failures of the platform and of buyers do not count. Listings show the same figure.
 */
export function successRate({ succeeded, agentErrors }: CallCounts): number | null {
  const counted = succeeded + agentErrors;
  return counted === 0 ? null : Math.round((succeeded / counted) * 10_000) / 10_000;
}

/**
 * The whole UTC days of a window, from `firstDay` to before `endDay`, and the parts of days that remain at its edges.
 * The two days are equal when the window contains no whole day.
 */
export function wholeDays(
  since: Date,
  until: Date,
): { firstDay: string; endDay: string; edges: { since: Date; until: Date }[] } {
  const first = Math.ceil(since.getTime() / DAY_MS);
  const end = Math.floor(until.getTime() / DAY_MS);
  if (first > end) return { firstDay: dateOf(first), endDay: dateOf(first), edges: [{ since, until }] };
  const edges = [
    { since, until: new Date(first * DAY_MS) },
    { since: new Date(end * DAY_MS), until },
  ];
  return {
    firstDay: dateOf(first),
    endDay: dateOf(end),
    edges: edges.filter((edge) => edge.since < edge.until),
  };
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** The UTC days (`2026-11-02`) between `since` (inclusive) and `until` (exclusive), in order. */
export function daysOf(since: Date, until: Date): string[] {
  const first = Math.floor(since.getTime() / DAY_MS);
  const last = Math.floor((until.getTime() - 1) / DAY_MS);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => dateOf(first + at));
}

/** Below so many unrelated buyers in 30 days an agent has few calls, and neither a success rate nor durations. */
export const LEAST_BUYERS = 10;

/** The public state of the service: its parts, and what the checks of a process say about each. */
export const STATUS_PARTS = ['api', 'calls', 'background'] as const;
export type StatusPart = (typeof STATUS_PARTS)[number];

export type CheckState = 'ok' | 'failed';

/** What an API process checks (contract, readiness). */
export type Checks = Record<'postgres' | 'temporal' | 'worker' | 'loops', CheckState>;

/**
 * Whether each part works: pages and API need Postgres; calls need Temporal too; payouts, webhooks and tests of agents
 * need a worker whose loops all work.
 */
export function partsOf({ postgres, temporal, worker, loops }: Checks): Record<StatusPart, boolean> {
  const api = postgres === 'ok';
  return {
    api,
    calls: api && temporal === 'ok',
    background: api && temporal === 'ok' && worker === 'ok' && loops === 'ok',
  };
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

export interface NotedDay {
  /** UTC day such as `2026-11-02`. */
  day: string;
  minutes: number;
  failed: number;
}

/**
 * The share of a day in which a part worked, from 0 to 1; null for a day before the first note. A minute that nothing
 * noted is an outage. The present day lasts until now; one minute is left for its note. `first`: the first noted
 * minute.
 */
export function shareOf(
  noted: Pick<NotedDay, 'minutes' | 'failed'> | undefined,
  day: string,
  { first, now }: { first: number; now: number },
): number | null {
  const begin = Date.parse(`${day}T00:00:00Z`);
  const begins = Math.max(begin, Math.floor(first / MINUTE_MS) * MINUTE_MS);
  const ends = Math.min(begin + DAY_MINUTES * MINUTE_MS, Math.floor(now / MINUTE_MS) * MINUTE_MS);
  const { minutes, failed } = noted ?? { minutes: 0, failed: 0 };
  const expected = Math.max(Math.round((ends - begins) / MINUTE_MS), minutes);
  return begin + DAY_MINUTES * MINUTE_MS <= first || expected <= 0
    ? null
    : Math.max(0, (minutes - failed) / expected);
}

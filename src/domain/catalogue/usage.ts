/** Call counts of an agent, for its owner. Free calls are included; disputed calls are refunded. */
export interface CallCounts {
  /** All accepted calls, including those in progress. */
  calls: number;
  succeeded: number;
  failed: number;
  disputed: number;
}

const DAY_MS = 86_400_000;

/**
 * The share of ended calls that succeeded, with 4 decimals; null when no call has ended. Listings show the
 * same figure.
 */
export function successRate({ succeeded, failed, disputed }: CallCounts): number | null {
  const ended = succeeded + failed + disputed;
  return ended === 0 ? null : Math.round((succeeded / ended) * 10_000) / 10_000;
}

/** The UTC days (`2026-11-02`) between `since` (inclusive) and `until` (exclusive), in order. */
export function daysOf(since: Date, until: Date): string[] {
  const first = Math.floor(since.getTime() / DAY_MS);
  const last = Math.floor((until.getTime() - 1) / DAY_MS);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) =>
    new Date((first + at) * DAY_MS).toISOString().slice(0, 10),
  );
}

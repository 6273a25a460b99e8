/** The first instants of this month and of the one before it, in UTC. */
export function monthsOf(now: Date): { current: string; last: string } {
  const first = (back: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString();
  return { current: first(0), last: first(1) };
}

/** The months from that of `since` to that of `now`, the newest first, such as `2026-11`; at most 120. */
export function monthsSince(since: Date, now: Date): string[] {
  const count =
    (now.getUTCFullYear() - since.getUTCFullYear()) * 12 + now.getUTCMonth() - since.getUTCMonth();
  return Array.from({ length: Math.min(Math.max(count, 0) + 1, 120) }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  );
}

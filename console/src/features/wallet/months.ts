/** The first instants of this month and of the one before it, in UTC. */
export function monthsOf(now: Date): { current: string; last: string } {
  const first = (back: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString();
  return { current: first(0), last: first(1) };
}

/** What is needed of a query to say whether its page is out of date. */
export interface Reading {
  /** Something on the page shows it. */
  isShown: boolean;
  /** When its data came, in ms; 0 without data. */
  dataAt: number;
  /** When reading it failed last, in ms; 0 if it never did. */
  failedAt: number;
  /** It failed because no answer came. */
  isUnreachable: boolean;
}

/** Since when the page shows data that could not be read again, in ms; undefined while it is up to date. */
export function staleSince(readings: readonly Reading[]): number | undefined {
  const stale = readings.filter(
    ({ isShown, dataAt, failedAt, isUnreachable }) => isShown && isUnreachable && failedAt > dataAt,
  );
  if (stale.length === 0) return undefined;
  const times = stale.map(({ dataAt }) => dataAt).filter((at) => at > 0);
  return times.length === 0 ? 0 : Math.min(...times);
}

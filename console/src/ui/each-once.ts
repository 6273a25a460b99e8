/**
 * The rows without repeated keys. Lists are read at different moments, so a case that changes its state
 * in between is in two of them, and React never removes a row whose key is used twice.
 */
export function eachOnce<T>(rows: readonly T[], keyOf: (row: T) => string): T[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const key = keyOf(row);
    return !seen.has(key) && seen.add(key);
  });
}

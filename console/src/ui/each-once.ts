/**
 * The rows without those whose key came before. Lists are read at different moments, so a case that changes its state
 * in between is in two of them; React leaves a row on the page for good when two have one key.
 */
export function eachOnce<T>(rows: readonly T[], keyOf: (row: T) => string): T[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const key = keyOf(row);
    return !seen.has(key) && seen.add(key);
  });
}

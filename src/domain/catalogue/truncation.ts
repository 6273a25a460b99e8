/**
 * Streamed answers that end early (contract, "Chat"). A call that has delivered a piece of its answer is paid as far as
 * it was delivered when its reader leaves, and pays the ceiling when a metered stream reaches it.
 */
export const TRUNCATIONS = ['ceiling', 'client_closed'] as const;

/**
 * `ceiling`: the stream reached the buyer's ceiling. `client_closed`: the reader left, or did not read before the
 * call's deadline.
 */
export type Truncation = (typeof TRUNCATIONS)[number];

/** How long a reader may keep the agent waiting before a timeout of the call is the reader's, as a share of it. */
const READERS_SHARE = 0.1;

/** Whether a stream that exceeded its timeout did so because its reader took the pieces too slowly. */
export function isReadersTimeout(waitedForReaderMs: number, timeoutMs: number): boolean {
  return waitedForReaderMs >= timeoutMs * READERS_SHARE;
}

/** What a truncated call costs: the ceiling when that ended it, else the metered cost, at most the ceiling. */
export function truncatedCost(by: Truncation, costCredits: number, ceilingCredits: number | null): number {
  const mostCredits = ceilingCredits ?? Infinity;
  if (by === 'ceiling' && Number.isFinite(mostCredits)) return mostCredits;
  return Math.min(costCredits, mostCredits);
}

/**
 * A stolen card pays for calls of an accomplice, and the bank takes the money back weeks later. So earnings from a buyer whose
 * account is new mature later while their developer has never been paid; the database knows the latter (`invocation_settle`).
 */
export const NEW_BUYER_DAYS = 30;
const DAY_MS = 86_400_000;

/** The time after which earnings from this buyer mature for a developer who was never paid; undefined for the usual time. */
export function newPairMs(
  { since, now }: { since: number; now: number },
  { reserveMs, disputeWindowMs }: { reserveMs: number; disputeWindowMs: number },
): number | undefined {
  const isNew = now - since < NEW_BUYER_DAYS * DAY_MS;
  return isNew && reserveMs > disputeWindowMs ? reserveMs : undefined;
}

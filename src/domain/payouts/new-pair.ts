/**
 * A stolen card pays for calls of an accomplice, and the bank takes the money back weeks later. So earnings from a
 * buyer whose account, or whose first top-up, is new mature later while their developer has never been paid. The age of
 * the account is in its id; the database knows the first top-up and the payouts (`invocation_settle`).
 */
export const NEW_BUYER_DAYS = 30;
const DAY_MS = 86_400_000;
const NEW_BUYER_MS = NEW_BUYER_DAYS * DAY_MS;

export interface NewPairTerms {
  /** The time after which earnings from a new buyer mature for a developer who was never paid. */
  new_pair_ms?: number;
  /** How old the first top-up of this buyer must be; absent for a buyer who is new by the account. */
  new_topup_ms?: number;
}

/** The terms for a charge of the buyer whose account exists since `since`; none when earnings never mature late. */
export function newPairTerms(
  { since, now }: { since: number; now: number },
  { reserveMs, disputeWindowMs }: { reserveMs: number; disputeWindowMs: number },
): NewPairTerms {
  if (reserveMs <= disputeWindowMs) return {};
  const isNew = now - since < NEW_BUYER_MS;
  return { new_pair_ms: reserveMs, ...(!isNew && { new_topup_ms: NEW_BUYER_MS }) };
}

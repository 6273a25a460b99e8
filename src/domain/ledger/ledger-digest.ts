/** What the digest of a day says of its entries (docs/ledger.md, "Digests"). */
export interface DigestFigures {
  transactions: number;
  entries: number;
  /** Sum of the negative amounts, and of the positive ones, in units. */
  debitsUnits: number;
  creditsUnits: number;
  /** Lower-case hexadecimal SHA-256, folded over the entries. */
  entriesSha256: string;
}

export interface DayDigest extends DigestFigures {
  /** `YYYY-MM-DD`, a UTC day. */
  day: string;
  /** Digest of the day before. */
  previousSha256: string;
}

/** What the first digest of a ledger continues. */
export const NO_DIGEST = '0'.repeat(64);

/** What is hashed into the chain and signed, as its canonical JSON; `digest_terms` of migration 0950 says the same. */
export function digestTerms(digest: DayDigest) {
  return {
    format: 1,
    day: digest.day,
    transactions: digest.transactions,
    entries: digest.entries,
    debits_units: digest.debitsUnits,
    credits_units: digest.creditsUnits,
    entries_sha256: digest.entriesSha256,
    previous_sha256: digest.previousSha256,
  };
}

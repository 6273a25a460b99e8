/** Figures of one day's ledger entries, as the daily digest states them (docs/ledger.md, "Digests"). */
export interface DigestFigures {
  transactions: number;
  entries: number;
  /** Sums of the negative and of the positive amounts, in units. */
  debitsUnits: number;
  creditsUnits: number;
  /** Lower-case hexadecimal SHA-256, chained over the entries in order. */
  entriesSha256: string;
}

export interface DayDigest extends DigestFigures {
  /** `YYYY-MM-DD`, a UTC day. */
  day: string;
  /** Digest of the preceding day. */
  previousSha256: string;
}

/** `previousSha256` of the first digest in a ledger. */
export const NO_DIGEST = '0'.repeat(64);

/**
 * The terms of a digest. Their canonical JSON is hashed into the chain and signed; the SQL function
 * `digest_terms` builds the same terms.
 */
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

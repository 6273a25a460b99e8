/**
 * The proofs of the ledger (docs/ledger.md#invariants). Each is a statement that returns problems: `subject` is the
 * account, transaction, hold or lot, and `problem` describes what is wrong. A proof holds if no row is returned. Proofs
 * recompute everything from the entries and do not rely on anything that the functions asserted when they wrote.
 */
export interface LedgerProof {
  name: string;
  /** The statement that is proven when no row is returned. */
  promise: string;
  /**
   * How an incremental check reads it (ledger-window.ts): the transactions of the window (`moves`), its calls, open
   * holds, payouts, top-ups, payments by x402, all reversals of payments, or unchanged (`all`: it reads little).
   * Without one, only a full check proves it.
   */
  window?: 'moves' | 'calls' | 'open' | 'payouts' | 'top-ups' | 'x402' | 'x402-refunds' | 'reversals' | 'all';
  sql: string;
}

/** SQL expression that describes account `a` in a problem. */
export const ACCOUNT = `'account ' || a.account_id || ' (' || a.kind || coalesce(' of ' || a.user_id, '') || ')'`;

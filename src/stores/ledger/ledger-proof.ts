/**
 * The proofs of the ledger (engine.md §1), each a statement that returns what is wrong: `subject` names the account,
 * transaction, hold or lot, `problem` says what it is. No row means that the proof holds. They recompute everything
 * from the entries and believe nothing that the functions asserted when they wrote.
 */
export interface LedgerProof {
  name: string;
  /** What holds when no row comes back. */
  promise: string;
  sql: string;
}

/** SQL that names account `a` in a problem. */
export const ACCOUNT = `'account ' || a.account_id || ' (' || a.kind || coalesce(' of ' || a.user_id, '') || ')'`;

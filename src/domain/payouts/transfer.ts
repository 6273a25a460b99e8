/**
 * The life of a transfer in USDC as a table: from → to, and by what (specification, x402 rules; docs/payouts.md);
 * checked again by the database (migration 0960). What is `unknown` was sent, or may have been: the chain is asked, and
 * it is never sent again.
 */
export const TRANSFER_STATES = ['pending', 'unknown', 'submitted', 'confirmed', 'failed'] as const;
export type TransferState = (typeof TRANSFER_STATES)[number];

const TRANSFER_TRANSITIONS = {
  pending: {
    unknown: 'about to be sent',
    confirmed: 'the chain has it, by whomever',
    failed: 'the authorization has expired unused',
  },
  unknown: {
    submitted: 'the facilitator names a transaction',
    confirmed: 'the chain has it',
    failed: 'the authorization has expired unused',
  },
  submitted: { confirmed: 'the chain has it', failed: 'the authorization has expired unused' },
  confirmed: {},
  failed: {},
} as const satisfies Record<TransferState, Partial<Record<TransferState, string>>>;

/** True when nothing can change the transfer any more. */
export function isTransferEnded(state: TransferState): boolean {
  return Object.keys(TRANSFER_TRANSITIONS[state]).length === 0;
}

/** The payouts of a Monday (ISO time) that go by transfers. Ids and codes only: it is stored in Temporal's history. */
export interface TransferRun {
  asOf: string;
  attempt: number;
}

/** What the workflow of a run goes on with when its history gets long. */
export interface TransferRunInput extends TransferRun {
  /** Transfers without an end; absent: none was written yet. */
  open?: string[];
}

/** Which of a developer's earnings go where (migration 0961). */
export interface PayoutDestination {
  /** An address; empty: the developer's own method. */
  payTo: string;
  /** Agents whose lots go there; of the own method those whose lots do not. */
  agents: readonly string[];
  /** All addresses of the developer's agents. */
  addresses: readonly string[];
}

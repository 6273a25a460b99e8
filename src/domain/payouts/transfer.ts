/**
 * States of a USDC transfer as a table: from → to, and by what (specification, x402 rules; docs/payouts.md).
 * The database enforces the same transitions. An `unknown` transfer was sent or may have been sent; its
 * outcome is looked up on the chain and it is never sent again.
 */
export const TRANSFER_STATES = ['pending', 'unknown', 'submitted', 'confirmed', 'failed'] as const;
export type TransferState = (typeof TRANSFER_STATES)[number];

const TRANSFER_TRANSITIONS = {
  pending: {
    unknown: 'about to be sent',
    confirmed: 'the transfer is on the chain',
    failed: 'the authorization expired unused',
  },
  unknown: {
    submitted: 'the facilitator names a transaction',
    confirmed: 'the transfer is on the chain',
    failed: 'the authorization expired unused',
  },
  submitted: { confirmed: 'the transfer is on the chain', failed: 'the authorization expired unused' },
  confirmed: {},
  failed: {},
} as const satisfies Record<TransferState, Partial<Record<TransferState, string>>>;

/** True when the state is final. */
export function isTransferEnded(state: TransferState): boolean {
  return Object.keys(TRANSFER_TRANSITIONS[state]).length === 0;
}

/**
 * The on-chain transfers of one Monday's payouts (ISO time). Stored in Temporal's history: ids and codes
 * only.
 */
export interface TransferRun {
  asOf: string;
  attempt: number;
}

/** Input of the run's workflow, including its state after continue-as-new. */
export interface TransferRunInput extends TransferRun {
  /** Transfers that are not final; absent before the first transfer is created. */
  open?: string[];
}

/** The agents whose earnings one payout destination receives. */
export interface PayoutDestination {
  /** An on-chain address; empty for the developer's default method. */
  payTo: string;
  /**
   * For an on-chain address: the agents paid to it. For the default method: the agents paid to an address,
   * whose earnings are excluded.
   */
  agents: readonly string[];
  /** All addresses of the developer's agents. */
  addresses: readonly string[];
}

/** Deletions of accounts (ADR 0388): their states, what blocks them, and the parts of an erasure. */

/**
 * requested: its window runs; confirmable: a mail asks for the confirmation; confirmed: it waits until nothing blocks
 * it; lapsed: it was not confirmed in time.
 */
export type DeletionState =
  'requested' | 'confirmable' | 'confirmed' | 'erasing' | 'erased' | 'withdrawn' | 'lapsed';

export const DELETION_STATES = [
  'requested',
  'confirmable',
  'confirmed',
  'erasing',
  'erased',
  'withdrawn',
  'lapsed',
] as const satisfies readonly DeletionState[];

/** What blocks a deletion, with what the owner can do about it. */
export const DELETION_BLOCKS = {
  open_calls: 'Calls of the account or of its agents run; their credits are in escrow until they end.',
  open_disputes: 'A dispute of the account, or about its agents, is not decided.',
  unpaid_earnings: 'Earnings are not paid out yet.',
  running_payouts: 'A payout has not arrived yet.',
  bond: 'Withdraw the bond first.',
  open_slashes: 'A slash of the bond is not decided.',
  debts: 'The account owes credits for reversed payments or lost disputes.',
  pending_topups:
    'The payment of a top-up is open: its provider can still complete it. Pay it, or wait until it expires.',
  frozen_wallet: 'An operator has frozen the wallet.',
  wallet:
    'The wallet holds credits. Spend them, ask the operator for a refund, or give them up (forfeit_credits).',
  only_owner: 'The account is the only owner of an organisation. Hand it over or delete it first.',
  operator: 'The account is an operator. Another operator must take the role away first.',
} as const;
export type DeletionBlock = keyof typeof DELETION_BLOCKS;

export const isDeletionBlock = (code: string): code is DeletionBlock => Object.hasOwn(DELETION_BLOCKS, code);

/** The parts of an erasure in their order, as `account_erase` names them. */
export const ERASURE_PARTS = [
  'access',
  'notices',
  'agents',
  'calls',
  'tasks',
  'mandates',
  'texts',
  'money',
  'account',
] as const;
export type ErasurePart = (typeof ERASURE_PARTS)[number];

/** What the workflow of a deletion begins with. A restarted one gets the same; a further run says what is over. */
export interface DeletionInput {
  deletionId: string;
  confirmFromMs: number;
  /** How long the confirmation is possible. */
  confirmForMs: number;
  /** The confirmation came in an earlier run of this workflow. */
  isConfirmed?: true;
}

/** What an attempt to begin the erasure found. */
export type ErasureBegin = 'blocked' | 'erasing' | 'ended';

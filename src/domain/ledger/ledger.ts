/**
 * The vocabulary of the ledger (docs/ledger.md): account kinds, entry types, and outcomes of the ledger
 * functions. The database uses the same words.
 */
export type UserAccountKind = 'wallet' | 'escrow' | 'payable' | 'bond' | 'slash_hold';

/** Types of wallet entries: what a buyer's ledger lists. */
export const WALLET_ENTRY_TYPES = [
  'topup',
  'topup_reversal',
  'registration_fee',
  'invocation_hold',
  'invocation_release',
  'invocation_charge',
  'refund',
  'dispute_refund',
  'bond_deposit',
  'bond_release',
  'slash_refund',
  'x402_payment',
  'x402_refund',
] as const;
export type WalletEntryType = (typeof WALLET_ENTRY_TYPES)[number];

/** Types of payable and bond entries: what a developer's transactions list. */
export const DEVELOPER_ENTRY_TYPES = [
  'invocation_earning',
  'dispute_refund',
  'bond_deposit',
  'bond_release',
  'slash',
  'payout',
  'payout_remainder',
] as const;
export type DeveloperEntryType = (typeof DEVELOPER_ENTRY_TYPES)[number];

export type EntryType = WalletEntryType | DeveloperEntryType;

const LINE_TEXTS = {
  topup: 'Top-up',
  topup_reversal: 'Refund or chargeback of a top-up',
  registration_fee: 'One-time registration fee',
  invocation_hold: 'Held in escrow',
  invocation_release: 'Hold released',
  invocation_charge: 'Charge',
  refund: 'Returned in full, the call failed',
  dispute_refund: 'Returned in full, disputed',
  bond_deposit: 'Deposit into the bond',
  bond_release: 'Withdrawal from the bond',
  slash: 'Slash of the bond',
  slash_refund: 'Refund after a slash',
  x402_payment: 'Payment by x402',
  x402_refund: 'Sent back to the paying address',
  invocation_earning: 'Earning, 97% of the charge',
  payout: 'Payout',
  payout_remainder: 'Rounding remainder, carried over to the next payout',
} as const satisfies Record<EntryType, string>;

/**
 * Describes an entry for people: the transaction's own description, or a text for the entry type with the
 * agent id.
 */
export function describeLine(line: {
  entryType: EntryType;
  agentId: string | null;
  description: string;
  amountUnits: number;
}): string {
  if (line.agentId === null) return line.description;
  if (line.entryType === 'slash' && line.amountUnits > 0) return line.description;
  // Of a part, both sides read what the transaction says (`ledger_post_clawback`).
  if (line.entryType === 'dispute_refund' && line.description.startsWith('Part ')) return line.description;
  const disputed = line.entryType === 'dispute_refund' && line.amountUnits < 0;
  return `${disputed ? 'Dispute lost, taken back' : LINE_TEXTS[line.entryType]}: ${line.agentId}`;
}

export type HoldOutcome = 'held' | 'insufficient' | 'already_open' | 'already_resolved';
export type CaptureOutcome =
  'captured' | 'already_captured' | 'already_voided' | 'already_disputed' | 'no_hold';
export type VoidOutcome =
  'voided' | 'disputed' | 'already_voided' | 'already_disputed' | 'already_captured' | 'no_hold';
export type ClawbackOutcome =
  'clawed_back' | 'returned_in_part' | 'already_clawed_back' | 'nothing_charged' | 'not_captured' | 'no_hold';
export type RegistrationOutcome = 'paid' | 'already_paid' | 'insufficient' | 'not_a_developer';
export type TopupOutcome = 'credited' | 'already_credited' | 'already_failed' | 'no_topup';

/** Result of a ledger function for one item of its input arrays. */
export interface LedgerResult<Outcome extends string> {
  outcome: Outcome;
  /** The transaction with that outcome, including one posted by an earlier call; null when no money moved. */
  transactionId: string | null;
  amountUnits: number;
  /** The payer's wallet balance after the transaction; null when this call moved no money. */
  walletUnits: number | null;
}

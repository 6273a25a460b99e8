/** Payouts (contract, "Billing"; specification, Payouts): methods, states, reasons. The database has them in 0920–0923. */
export const PAYOUT_METHODS = ['ach', 'swift', 'upi', 'usdc'] as const;
export type PayoutMethod = (typeof PAYOUT_METHODS)[number];

/** Methods whose payouts go to a bank in one file per Monday. */
export const FILE_METHODS = ['ach', 'swift', 'upi'] as const;
export type FileMethod = (typeof FILE_METHODS)[number];

export const PAYOUT_STATUSES = ['pending', 'processing', 'paid', 'failed', 'rolled_over'] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

export const TAX_FORM_KINDS = ['w9', 'w8ben', 'w8bene'] as const;
export type TaxFormKind = (typeof TAX_FORM_KINDS)[number];
export type TaxFormStatus = 'submitted' | 'accepted' | 'rejected';

const WEEK_MS = 7 * 86_400_000;
/** 1970-01-05, a Monday. */
const FIRST_MONDAY_MS = 4 * 86_400_000;

/**
 * The Monday 00:00 UTC at or before an instant. UTC has neither summer time nor time zones, and a week always has as
 * many milliseconds, so leap days and the ends of years need no care.
 */
export function mondayOf(ms: number): number {
  return Math.floor((ms - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;
}

/** A run of one Monday: attempt 0 is the Schedule's, the others are an operator's. Ids and codes only. */
export interface PayoutRunInput {
  /** ISO time; absent: the nominal time of the Schedule. */
  asOf?: string;
  attempt?: number;
  /** Where the part before this one ended. */
  afterUserId?: string;
  /** What the parts before have reserved. */
  reserved?: number;
  /** Only this developer. */
  onlyUserId?: string;
}

export interface PayoutShare {
  developerUserId: string;
  asOf: string;
  attempt: number;
  /** Reserved in the turn in which the child begins. Absent in histories of before that. */
  inPlace?: true;
}

export interface PayoutRunResult {
  asOf: string;
  reserved: number;
  files: string[];
}

/**
 * Payouts (contract, "Billing"; specification, Payouts): states, tax forms and the run of a Monday. The database uses
 * the same words.
 */
export const PAYOUT_STATUSES = [
  'reserving',
  'pending',
  'processing',
  'paid',
  'returned',
  'failed',
  'rolled_over',
] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

export const TAX_FORM_KINDS = ['w9', 'w8ben', 'w8bene'] as const;
export type TaxFormKind = (typeof TAX_FORM_KINDS)[number];
export type TaxFormStatus = 'submitted' | 'accepted' | 'rejected';

const WEEK_MS = 7 * 86_400_000;
/** 1970-01-05, a Monday. */
const FIRST_MONDAY_MS = 4 * 86_400_000;

/**
 * The Monday 00:00 UTC at or before an instant. UTC has no daylight saving time, so every week has the same
 * number of milliseconds and leap days need no special case.
 */
export function mondayOf(ms: number): number {
  return Math.floor((ms - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;
}

/** Says why an instant is not the Monday of a run; undefined when it is one. `isPast`: only Mondays that have come. */
export function problemOfMonday(
  asOf: string,
  nowMs: number,
  { isPast }: { isPast: boolean },
): string | undefined {
  const ms = Date.parse(asOf);
  if (Number.isNaN(ms) || mondayOf(ms) !== ms) return `${asOf} is not a Monday 00:00 UTC.`;
  return isPast && ms > nowMs ? `The Monday ${asOf} has not come yet.` : undefined;
}

/**
 * The payout run of one Monday. Attempt 0 is started by the Schedule, later attempts by an operator. Stored
 * in Temporal's history: ids and codes only.
 */
export interface PayoutRunInput {
  /** ISO time; absent in scheduled runs, which use the Schedule's nominal time. */
  asOf?: string;
  attempt?: number;
  /** The last developer of the previous run before continue-as-new. */
  afterUserId?: string;
  /** Number of payouts that the previous runs before continue-as-new reserved. */
  reserved?: number;
  /** Restricts the run to one developer. */
  onlyUserId?: string;
  /** False when a share of an earlier page is missing. */
  isComplete?: boolean;
  /** How long a page of shares may delay the files. Default: five minutes. */
  shareDeadlineMs?: number;
}

export interface PayoutShare {
  developerUserId: string;
  asOf: string;
  attempt: number;
}

/** A run, and the workflow that carries it out. */
export interface PayoutRunBegin {
  asOf: string;
  attempt: number;
  onlyUserId?: string | undefined;
  workflowId: string;
}

export interface PayoutRunResult {
  asOf: string;
  reserved: number;
  files: string[];
}

/**
 * Types and text rules that the writers of bank files share. The writers are pure: the same payouts always give the
 * same bytes.
 */
import { bankText } from '../../domain/payouts/bank-text';

const DAY_MS = 86_400_000;

export interface RailPayee {
  payoutId: string;
  /** Amount in the smallest unit of the currency: cents, paise. */
  amountMinor: number;
  details: Readonly<Record<string, string>>;
}

/** The paying account, from the settings PAYOUT_*. */
export interface RailPayer {
  companyName: string;
  /** 10 characters, assigned by the bank. */
  companyId: string;
  /** ABA routing number of the platform's bank. */
  routingNumber: string;
  bankName: string;
  /** The account that SWIFT and UPI payouts debit. */
  accountNumber: string;
  bic: string;
}

export interface RailBatch {
  /** Unique within the rail; at most 35 characters. */
  fileId: string;
  payer: RailPayer;
  /** The nominal Monday. */
  asOf: Date;
  /**
   * When the last of the payouts was reserved: a file of a later attempt is not executed in the past. Default: the
   * Monday.
   */
  reservedAt?: Date;
  /** 0 for the scheduled file of a Monday; higher for retries by operators. */
  attempt: number;
  payees: readonly RailPayee[];
}

/**
 * The day on which the bank can carry out the file at the earliest: the Monday or, of a later attempt, the day of that.
 */
export function firstDay({ asOf, reservedAt = asOf }: RailBatch): Date {
  return reservedAt > asOf ? new Date(Math.floor(reservedAt.getTime() / DAY_MS) * DAY_MS) : asOf;
}

/**
 * The name of a payee or payer. It is never empty, because banks refuse a whole file for an empty name; the
 * validation of payout methods already requires names that can be represented.
 */
export function bankName(name: string, length: number): string {
  return bankText(name, length) || 'NOT PROVIDED';
}

/** The total of a batch in minor units. Throws `RangeError` when it is not a safe integer. */
export function totalMinor(payees: readonly RailPayee[]): number {
  const total = payees.reduce((sum, payee) => sum + payee.amountMinor, 0);
  if (!Number.isSafeInteger(total))
    throw new RangeError(`the total of the file is not an exact integer: ${total}`);
  return total;
}

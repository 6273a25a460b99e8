/** What the writers of bank files have in common: pure, so that the same payouts make the same bytes for ever. */
export interface RailPayee {
  payoutId: string;
  /** Smallest units of the currency: cents, paise. */
  amountMinor: number;
  details: Readonly<Record<string, string>>;
}

/** Who pays: settings PAYOUT_*. */
export interface RailPayer {
  companyName: string;
  /** 10 characters, given by the bank. */
  companyId: string;
  /** ABA routing number of our bank. */
  routingNumber: string;
  bankName: string;
  /** Debited by SWIFT and UPI payouts. */
  accountNumber: string;
  bic: string;
}

export interface RailBatch {
  /** Unique for the rail, at most 35 characters. */
  fileId: string;
  payer: RailPayer;
  /** The nominal Monday; the only time that is in the file. */
  asOf: Date;
  /** 0 for the Schedule's file of a Monday, then the operators' repetitions. */
  attempt: number;
  payees: readonly RailPayee[];
}

/** Text that a bank can read: no accents, nothing outside `allowed`, at most `length` characters. */
export function bankText(value: string, length: number): string {
  const plain = value.normalize('NFKD').replace(/[^A-Za-z0-9 .,'/()+?:-]/g, '');
  return plain.slice(0, length);
}

export function totalMinor(payees: readonly RailPayee[]): number {
  const total = payees.reduce((sum, payee) => sum + payee.amountMinor, 0);
  if (!Number.isSafeInteger(total)) throw new RangeError('the total of a file is not exact');
  return total;
}

/** `12.34` of 1234. */
export function decimal(minor: number): string {
  return `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`;
}

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

/** Letters that have no accent to take away, and signs that people's programs put for those of a typewriter. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ø: 'o', Ø: 'O', đ: 'd', Đ: 'D', ð: 'd', Ð: 'D', ł: 'l', Ł: 'L',
  þ: 'th', Þ: 'Th', ı: 'i', '’': "'", '‘': "'", '–': '-', '—': '-', '&': '+', '\t': ' ', '\n': ' ', '\r': ' ',
}; // prettier-ignore

/**
 * Text that a bank can read: no accents, nothing but letters, digits, single spaces and `.,'/()+?:-` (the character set
 * of SWIFT), at most `length` characters. Empty when nothing of it can be written so.
 */
export function bankText(value: string, length: number): string {
  const letters = Array.from(value.normalize('NFKD'), (letter) => PLAIN[letter] ?? letter).join('');
  const plain = letters.replace(/[^A-Za-z0-9 .,'/()+?:-]/g, '').replace(/ {2,}/g, ' ');
  return plain.trim().slice(0, length).trimEnd();
}

/**
 * The name of a payee or payer: banks refuse a whole file for one that is empty. The rules of payout methods see to it
 * that people have a name that can be written.
 */
export function bankName(name: string, length: number): string {
  return bankText(name, length) || 'NOT PROVIDED';
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

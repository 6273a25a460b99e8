/** The documents about top-ups: invoices, and the notes that take back or restore a part of one (ADR 0368). */
import type { BilledTo } from './billing-details';
import type { Issuer, TaxTerms } from './tax';

/** `credit`: takes back a part of an invoice, or all of it. `debit`: restores what a credit note took back. */
export type PaperKind = 'invoice' | 'credit' | 'debit';

export interface Paper {
  kind: PaperKind;
  id: string;
  /** Consecutive within its series. */
  number: string;
  issuedAt: Date;
  /** `sandbox`: no money was paid. */
  status: 'paid' | 'sandbox';
  currency: string;
  /** With tax, in minor units of the currency. */
  amountMinor: number;
  taxMinor: number;
  /** The credits, in ledger units. */
  amountUnits: number;
  billedTo: BilledTo;
  userId: string;
  topupId: string;
  /** Null before the operator had set an issuer. */
  issuer: Issuer | null;
  tax: TaxTerms | null;
  /** Of a note: the invoice that it is about, and why it was issued. */
  about: { number: string; issuedAt: Date; reason: 'refund' | 'dispute' } | null;
}

const NAMES: Record<PaperKind, string> = { invoice: 'Invoice', credit: 'Credit note', debit: 'Debit note' };
export const paperName = ({ kind, number }: Pick<Paper, 'kind' | 'number'>): string =>
  `${NAMES[kind]} ${number}`;

/** What a note says of its reason. */
export function reasonText({ kind, about }: Pick<Paper, 'kind' | 'about'>): string | null {
  if (!about) return null;
  const what = about.reason === 'refund' ? 'refund' : 'chargeback';
  return kind === 'credit'
    ? `Takes back a part of invoice ${about.number}, or all of it: ${what} of its payment.`
    : `Restores what was taken back of invoice ${about.number}: the ${what} was reversed.`;
}

/** What a document says when a tax is not charged, and why. */
export function taxNote(tax: TaxTerms | null): string | null {
  if (tax?.treatment === 'reverse_charge') return 'Reverse charge: the buyer owes the tax.';
  if (tax?.treatment === 'outside') return 'No tax is charged: the service is outside of its scope.';
  return null;
}

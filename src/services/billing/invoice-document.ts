import { type BilledTo, billedToLines } from '../../domain/billing/billing-details';
import { dayOf } from '../../domain/instant';
import { minorText, unitsToCredits } from '../../domain/ledger/money';
import type { PrintedDocument } from '../../kit/documents/document';

/** The contents of an invoice: `amountMinor` in minor currency units, `amountUnits` in ledger units. */
export interface InvoiceFacts {
  number: string;
  invoiceId: string;
  topupId: string;
  issuedAt: Date;
  status: 'paid' | 'sandbox';
  amountMinor: number;
  currency: string;
  amountUnits: number;
  billedTo: BilledTo;
  userId: string;
  /** Lines of the issuer's letterhead: name, address, tax number. */
  issuer: readonly string[];
}

/** The invoice of a top-up. Equal facts give equal documents. */
export function invoiceDocument(invoice: InvoiceFacts): PrintedDocument {
  const amount = `${invoice.currency} ${minorText(invoice.amountMinor)}`;
  const credits = String(unitsToCredits(invoice.amountUnits));
  return {
    title: `Invoice ${invoice.number}`,
    issuer: invoice.issuer,
    at: invoice.issuedAt,
    parts: [
      {
        kind: 'facts',
        rows: [
          ['Invoice number', invoice.number],
          ['Issued', dayOf(invoice.issuedAt)],
          ['Invoice id', invoice.invoiceId],
          ['Top-up', invoice.topupId],
        ],
      },
      { kind: 'lines', title: 'Billed to', lines: billedToLines(invoice.billedTo, invoice.userId) },
      {
        kind: 'table',
        columns: [
          { title: 'Description', share: 3 },
          { title: 'Amount', share: 1, right: true },
        ],
        rows: [[`${credits} marketplace credits (top-up)`, amount]],
        total: ['Total', amount],
      },
      {
        kind: 'text',
        text:
          invoice.status === 'paid'
            ? 'Paid in full.'
            : 'SANDBOX: no money was paid. This is not a demand for payment.',
      },
    ],
  };
}

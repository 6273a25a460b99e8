import { unitsToCredits } from '../ledger/money';

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
  buyer: { displayName: string; email: string; userId: string };
  /** Lines of the issuer's letterhead: name, address, tax number. */
  issuer: readonly string[];
}

/** Renders the invoice as lines of text. Deterministic: equal facts give equal lines. */
export function invoiceLines(invoice: InvoiceFacts): string[] {
  const amount = `${invoice.currency} ${minorToText(invoice.amountMinor)}`;
  const credits = String(unitsToCredits(invoice.amountUnits));
  const { buyer } = invoice;
  return [
    ...invoice.issuer,
    '',
    `Invoice number   ${invoice.number}`,
    `Issued           ${invoice.issuedAt.toISOString().slice(0, 10)}`,
    `Invoice id       ${invoice.invoiceId}`,
    '',
    'Billed to',
    `  ${buyer.displayName}`,
    `  ${buyer.email}`,
    `  ${buyer.userId}`,
    '',
    `${'Description'.padEnd(56)}${'Amount'.padStart(20)}`,
    '-'.repeat(76),
    `${`${credits} marketplace credits (top-up)`.padEnd(56)}${amount.padStart(20)}`,
    `  ${invoice.topupId}`,
    '-'.repeat(76),
    `${'Total'.padEnd(56)}${amount.padStart(20)}`,
    '',
    invoice.status === 'paid'
      ? 'Paid in full.'
      : 'SANDBOX: no money was paid. This is not a demand for payment.',
  ];
}

/** Formats minor units as a decimal amount: 123456 → `1234.56`. */
function minorToText(minor: number): string {
  return `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`;
}

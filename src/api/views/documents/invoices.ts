import type { Static } from '@sinclair/typebox';
import type { Invoice, InvoiceNote } from '../../../contract/invoices';
import type { AccountStatement } from '../../../contract/statements';
import type { TaxSettings } from '../../../contract/tax-settings';
import { statementName } from '../../../domain/billing/statement';
import type { TaxRule } from '../../../domain/billing/tax';
import { unitsToCredits } from '../../../domain/ledger/money';
import type { BillingService } from '../../../services/billing/billing';

type InvoiceRow = Awaited<ReturnType<BillingService['invoices']>>['rows'][number];
type NoteRow = Awaited<ReturnType<BillingService['invoiceNotes']>>['rows'][number];
type StatementRow = Awaited<ReturnType<BillingService['statement']>>;
type SettingsRow = NonNullable<Awaited<ReturnType<BillingService['taxSettings']>>>;

export function invoiceView(invoice: InvoiceRow): Static<typeof Invoice> {
  return {
    invoice_id: invoice.invoiceId,
    number: invoice.number,
    credits: unitsToCredits(invoice.amountUnits),
    amount_minor: invoice.amountMinor,
    ...(invoice.hasIssuer && { tax_minor: invoice.taxMinor, electronic: true as const }),
    ...(invoice.creditedMinor > 0 && { credited_minor: invoice.creditedMinor }),
    currency: invoice.currency,
    status: invoice.status,
    issued_at: invoice.issuedAt.toISOString(),
  };
}

export function invoiceNoteView(note: NoteRow): Static<typeof InvoiceNote> {
  return {
    note_id: note.noteId,
    kind: note.kind,
    number: note.number,
    invoice_id: note.invoiceId,
    invoice_number: note.invoiceNumber,
    reason: note.reason,
    credits: unitsToCredits(note.amountUnits),
    amount_minor: note.amountMinor,
    ...(note.hasIssuer && { tax_minor: note.taxMinor, electronic: true as const }),
    currency: note.currency,
    issued_at: note.issuedAt.toISOString(),
  };
}

export function statementView(statement: StatementRow): Static<typeof AccountStatement> {
  return {
    month: statement.month,
    from: statement.from.toISOString(),
    until: statement.until.toISOString(),
    closed: statement.isClosed,
    opening_credits: unitsToCredits(statement.openingUnits),
    closing_credits: unitsToCredits(statement.closingUnits),
    lines: statement.lines.map(({ type, count, units }) => ({
      type,
      description: statementName(type),
      count,
      credits: unitsToCredits(units),
    })),
    documents: statement.papers.map((paper) => ({
      kind: paper.kind,
      id: paper.id,
      number: paper.number,
      issued_at: paper.issuedAt.toISOString(),
      amount_minor: paper.amountMinor,
      tax_minor: paper.taxMinor,
      currency: paper.currency,
      credits: unitsToCredits(paper.units),
    })),
    ...(statement.isCut && { documents_cut: true as const }),
  };
}

export function taxSettingsView({
  settingsId,
  issuer,
  rates,
  setAt,
}: SettingsRow): Static<typeof TaxSettings> {
  return {
    settings_id: settingsId,
    issuer: {
      name: issuer.name,
      address: issuer.address,
      country: issuer.country,
      tax_number: issuer.tax_number ?? null,
      registration_number: issuer.registration_number ?? null,
      email: issuer.email,
      entity_no: issuer.entity_no,
    },
    rates: rates.map((rate) => ({
      country: rate.country,
      name: rate.name,
      percent: rate.basis_points / 100,
      reverse_charge: rate.reverse_charge,
    })),
    set_at: setAt.toISOString(),
  };
}

/** How the next top-up is taxed. */
export function topUpTaxView({ country, treatment, name, basis_points: basisPoints }: TaxRule) {
  return { country, treatment, name, percent: basisPoints / 100 };
}

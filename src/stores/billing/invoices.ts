import type { Currency } from '../../domain/billing/billing';
import type { BilledTo } from '../../domain/billing/billing-details';
import type { Paper } from '../../domain/billing/paper';
import type { Issuer, TaxTerms } from '../../domain/billing/tax';
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';
import { countRows } from '../list-total';

/** Invoices of top-ups, and their credit and debit notes (`migrations/0139_invoice_notes.sql`). */
export interface InvoiceRow {
  invoiceId: string;
  number: string;
  amountMinor: number;
  taxMinor: number;
  currency: Currency;
  amountUnits: number;
  status: 'paid' | 'sandbox';
  issuedAt: Date;
  tax: TaxTerms | null;
  /** What credit notes took back, without what debit notes restored. */
  creditedMinor: number;
  hasIssuer: boolean;
}

export interface NoteRow {
  noteId: string;
  kind: 'credit' | 'debit';
  number: string;
  invoiceId: string;
  invoiceNumber: string;
  reason: 'refund' | 'dispute';
  amountMinor: number;
  taxMinor: number;
  currency: Currency;
  amountUnits: number;
  issuedAt: Date;
  hasIssuer: boolean;
}

interface RawInvoice {
  invoice_id: string;
  number: string;
  amount_minor: string;
  tax_minor: string;
  currency: Currency;
  amount_units: string;
  status: 'paid' | 'sandbox';
  issued_at: Date;
  tax: TaxTerms | null;
  credited_minor: string;
  has_issuer: boolean;
}

interface UserPage {
  userId: string;
  beforeId?: string | undefined;
  limit: number;
}

/** Lists a user's invoices, newest first, with the total. */
export async function listInvoices(db: Db, filter: UserPage): Promise<{ rows: InvoiceRow[]; total: number }> {
  const { rows } = await db.query<RawInvoice>(
    `SELECT i.invoice_id, i.number, i.amount_minor, i.tax_minor, i.currency, i.amount_units, i.status, i.issued_at, i.tax,
            i.issuer IS NOT NULL AS has_issuer,
            (SELECT coalesce(sum(CASE n.kind WHEN 'credit' THEN n.amount_minor ELSE -n.amount_minor END), 0)
               FROM invoice_notes n WHERE n.invoice_id = i.invoice_id) AS credited_minor
     FROM invoices i WHERE i.user_id = $1 AND ($2::text IS NULL OR i.invoice_id < $2)
     ORDER BY i.invoice_id DESC LIMIT $3`,
    [filter.userId, filter.beforeId ?? null, filter.limit],
  );
  const list = { from: 'invoices', key: 'user_id = $1', order: 'invoice_id DESC' };
  return { rows: rows.map(toInvoice), total: await countRows(db, list, [filter.userId]) };
}

function toInvoice(row: RawInvoice): InvoiceRow {
  return {
    invoiceId: row.invoice_id,
    number: row.number,
    amountMinor: unitsFromDatabase(row.amount_minor),
    taxMinor: unitsFromDatabase(row.tax_minor),
    currency: row.currency,
    amountUnits: unitsFromDatabase(row.amount_units),
    status: row.status,
    issuedAt: row.issued_at,
    tax: row.tax,
    creditedMinor: unitsFromDatabase(row.credited_minor),
    hasIssuer: row.has_issuer,
  };
}

interface RawNote {
  note_id: string;
  kind: 'credit' | 'debit';
  number: string;
  invoice_id: string;
  invoice_number: string;
  reason: 'refund' | 'dispute';
  amount_minor: string;
  tax_minor: string;
  currency: Currency;
  amount_units: string;
  issued_at: Date;
  has_issuer: boolean;
}

/** Lists a user's credit and debit notes, newest first, with the total. */
export async function listNotes(db: Db, filter: UserPage): Promise<{ rows: NoteRow[]; total: number }> {
  const { rows } = await db.query<RawNote>(
    `SELECT n.note_id, n.kind, n.number, n.invoice_id, i.number AS invoice_number, r.kind AS reason, n.amount_minor,
            n.tax_minor, i.currency, n.amount_units, n.issued_at, i.issuer IS NOT NULL AS has_issuer
     FROM (SELECT * FROM invoice_notes WHERE user_id = $1 AND ($2::text IS NULL OR note_id < $2)
            ORDER BY note_id DESC LIMIT $3) n
     JOIN invoices i USING (invoice_id) JOIN payment_reversals r USING (reversal_id) ORDER BY n.note_id DESC`,
    [filter.userId, filter.beforeId ?? null, filter.limit],
  );
  const list = { from: 'invoice_notes', key: 'user_id = $1', order: 'note_id DESC' };
  return { rows: rows.map(toNote), total: await countRows(db, list, [filter.userId]) };
}

function toNote(row: RawNote): NoteRow {
  return {
    noteId: row.note_id,
    kind: row.kind,
    number: row.number,
    invoiceId: row.invoice_id,
    invoiceNumber: row.invoice_number,
    reason: row.reason,
    amountMinor: unitsFromDatabase(row.amount_minor),
    taxMinor: unitsFromDatabase(row.tax_minor),
    currency: row.currency,
    amountUnits: unitsFromDatabase(row.amount_units),
    issuedAt: row.issued_at,
    hasIssuer: row.has_issuer,
  };
}

/** A document before it has a buyer: invoices from before the service kept these name the account as it is now. */
export type StoredPaper = Omit<Paper, 'billedTo'> & { billedTo: BilledTo | null };

interface RawPaper {
  kind: Paper['kind'];
  id: string;
  number: string;
  issued_at: Date;
  status: 'paid' | 'sandbox';
  currency: string;
  amount_minor: string;
  tax_minor: string;
  amount_units: string;
  billed_to: BilledTo | null;
  topup_id: string;
  issuer: Issuer | null;
  tax: TaxTerms | null;
  about_number: string | null;
  about_issued_at: Date | null;
  about_reason: 'refund' | 'dispute' | null;
}

/** Reads an invoice (`ivc_…`) or a note (`nte_…`) of a user. Returns undefined for another user's. */
export async function readPaper(db: Db, userId: string, id: string): Promise<StoredPaper | undefined> {
  const { rows } = await db.query<RawPaper>(
    id.startsWith('ivc_')
      ? `SELECT 'invoice' AS kind, i.invoice_id AS id, i.number, i.issued_at, i.status, i.currency, i.amount_minor, i.tax_minor,
                i.amount_units, i.billed_to, i.topup_id, i.issuer, i.tax
         FROM invoices i WHERE i.invoice_id = $2 AND i.user_id = $1`
      : `SELECT n.kind, n.note_id AS id, n.number, n.issued_at, i.status, i.currency, n.amount_minor, n.tax_minor,
                n.amount_units, i.billed_to, i.topup_id, i.issuer, i.tax, i.number AS about_number,
                i.issued_at AS about_issued_at, r.kind AS about_reason
         FROM invoice_notes n JOIN invoices i USING (invoice_id) JOIN payment_reversals r USING (reversal_id)
         WHERE n.note_id = $2 AND n.user_id = $1`,
    [userId, id],
  );
  const row = rows[0];
  return row && toPaper(row, userId);
}

function toPaper(row: RawPaper, userId: string): StoredPaper {
  const { about_number: number, about_issued_at: issuedAt, about_reason: reason } = row;
  return {
    kind: row.kind,
    id: row.id,
    number: row.number,
    issuedAt: row.issued_at,
    status: row.status,
    currency: row.currency,
    amountMinor: unitsFromDatabase(row.amount_minor),
    taxMinor: unitsFromDatabase(row.tax_minor),
    amountUnits: unitsFromDatabase(row.amount_units),
    billedTo: row.billed_to,
    userId,
    topupId: row.topup_id,
    issuer: row.issuer,
    tax: row.tax,
    about: number && issuedAt && reason ? { number, issuedAt, reason } : null,
  };
}

import type { Currency } from '../../domain/billing/billing';
import type { BilledTo } from '../../domain/billing/billing-details';
import { unitsFromDatabase } from '../../domain/ledger/money';
import { onlyRow, type Db } from '../db';
import { countRows } from '../list-total';

/**
 * Top-ups and their invoices (`migrations/0008_billing.sql`). The service inserts a pending top-up; a ledger function
 * ends it.
 */
export type TopupStatus = 'pending' | 'succeeded' | 'failed';

export interface TopupRow {
  topupId: string;
  userId: string;
  amountMinor: number;
  currency: Currency;
  amountUnits: number;
  status: TopupStatus;
  providerReference: string | null;
  paymentUrl: string | null;
  invoiceId: string | null;
}

export interface NewTopup {
  topupId: string;
  userId: string;
  amountMinor: number;
  currency: Currency;
  amountUnits: number;
  provider: 'sandbox' | 'razorpay';
  idempotencyKey: string | null;
  traceId: string;
}

/** Inserts a pending top-up. Returns false if the user has already used this idempotency key. */
export async function insertTopup(db: Db, topup: NewTopup): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider, idempotency_key, trace_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (user_id, idempotency_key) DO NOTHING`,
    [
      topup.topupId,
      topup.userId,
      topup.amountMinor,
      topup.currency,
      topup.amountUnits,
      topup.provider,
      topup.idempotencyKey,
      topup.traceId,
    ],
  );
  return rowCount === 1;
}

/** Stores the provider's reference and the URL of its payment page. */
export async function updateTopupPayment(
  db: Db,
  topupId: string,
  payment: { reference: string; url: string | null },
): Promise<void> {
  await db.query('UPDATE topups SET provider_reference = $2, payment_url = $3 WHERE topup_id = $1', [
    topupId,
    payment.reference,
    payment.url,
  ]);
}

const TOPUP = `SELECT t.topup_id, t.user_id, t.amount_minor, t.currency, t.amount_units, t.status,
    t.provider_reference, t.payment_url, i.invoice_id
  FROM topups t LEFT JOIN invoices i USING (topup_id)`;

export async function readTopup(db: Db, topupId: string): Promise<TopupRow> {
  return toTopup(onlyRow(await db.query<RawTopup>(`${TOPUP} WHERE t.topup_id = $1`, [topupId])));
}

export async function readTopupByKey(db: Db, userId: string, idempotencyKey: string): Promise<TopupRow> {
  const where = 't.user_id = $1 AND t.idempotency_key = $2';
  return toTopup(onlyRow(await db.query<RawTopup>(`${TOPUP} WHERE ${where}`, [userId, idempotencyKey])));
}

interface RawTopup {
  topup_id: string;
  user_id: string;
  amount_minor: string;
  currency: Currency;
  amount_units: string;
  status: TopupStatus;
  provider_reference: string | null;
  payment_url: string | null;
  invoice_id: string | null;
}

function toTopup(row: RawTopup): TopupRow {
  return {
    topupId: row.topup_id,
    userId: row.user_id,
    amountMinor: unitsFromDatabase(row.amount_minor),
    currency: row.currency,
    amountUnits: unitsFromDatabase(row.amount_units),
    status: row.status,
    providerReference: row.provider_reference,
    paymentUrl: row.payment_url,
    invoiceId: row.invoice_id,
  };
}

export interface InvoiceRow {
  invoiceId: string;
  number: string;
  amountMinor: number;
  currency: Currency;
  amountUnits: number;
  status: 'paid' | 'sandbox';
  issuedAt: Date;
}

interface RawInvoice {
  invoice_id: string;
  number: string;
  amount_minor: string;
  currency: Currency;
  amount_units: string;
  status: 'paid' | 'sandbox';
  issued_at: Date;
}

/** Lists a user's invoices, newest first, with the total. */
export async function listInvoices(
  db: Db,
  filter: { userId: string; beforeId?: string | undefined; limit: number },
): Promise<{ rows: InvoiceRow[]; total: number }> {
  const { rows } = await db.query<RawInvoice>(
    `SELECT invoice_id, number, amount_minor, currency, amount_units, status, issued_at FROM invoices
     WHERE user_id = $1 AND ($2::text IS NULL OR invoice_id < $2) ORDER BY invoice_id DESC LIMIT $3`,
    [filter.userId, filter.beforeId ?? null, filter.limit],
  );
  const list = { from: 'invoices', key: 'user_id = $1', order: 'invoice_id DESC' };
  return { rows: rows.map(toInvoice), total: await countRows(db, list, [filter.userId]) };
}

/** Reads an invoice with its top-up, and whom it is made out to. Returns undefined for another user's. */
export async function readInvoice(
  db: Db,
  userId: string,
  invoiceId: string,
): Promise<(InvoiceRow & { topupId: string; billedTo: BilledTo | null }) | undefined> {
  const { rows } = await db.query<RawInvoice & { topup_id: string; billed_to: BilledTo | null }>(
    'SELECT * FROM invoices WHERE invoice_id = $2 AND user_id = $1',
    [userId, invoiceId],
  );
  const row = rows[0];
  return row && { ...toInvoice(row), topupId: row.topup_id, billedTo: row.billed_to };
}

function toInvoice(row: RawInvoice): InvoiceRow {
  return {
    invoiceId: row.invoice_id,
    number: row.number,
    amountMinor: unitsFromDatabase(row.amount_minor),
    currency: row.currency,
    amountUnits: unitsFromDatabase(row.amount_units),
    status: row.status,
    issuedAt: row.issued_at,
  };
}

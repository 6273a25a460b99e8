import type { Currency } from '../../domain/billing/billing';
import type { TopupTerms } from '../../domain/billing/tax';
import type { ProviderName } from '../../domain/billing/payment';
import type { TopupPrice } from '../../domain/billing/topup-price';
import { unitsFromDatabase } from '../../domain/ledger/money';
import { onlyRow, type Db } from '../db';

/**
 * Top-ups (`migrations/0008_billing.sql`). The service inserts a pending top-up; a ledger function
 * ends it.
 */
export type TopupStatus = 'pending' | 'succeeded' | 'failed';

export interface TopupRow {
  topupId: string;
  userId: string;
  /** With tax: what is paid. */
  amountMinor: number;
  taxMinor: number;
  /** Whether there were tax settings when it was opened. */
  isTaxed: boolean;
  currency: Currency;
  amountUnits: number;
  /** The rate that its credits were computed with; null for a fixed price. */
  exchange: TopupPrice['exchange'];
  provider: ProviderName;
  savesMethod: boolean;
  status: TopupStatus;
  providerReference: string | null;
  paymentUrl: string | null;
  invoiceId: string | null;
}

export interface NewTopup {
  topupId: string;
  userId: string;
  amountMinor: number;
  taxMinor: number;
  /** Null without tax settings. */
  terms: TopupTerms | null;
  currency: Currency;
  amountUnits: number;
  exchange: TopupPrice['exchange'];
  provider: ProviderName;
  savesMethod: boolean;
  idempotencyKey: string | null;
  traceId: string;
}

/** Inserts a pending top-up. Returns false if the user has already used this idempotency key. */
export async function insertTopup(db: Db, topup: NewTopup): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO topups (topup_id, user_id, amount_minor, currency, amount_units, provider, idempotency_key, trace_id,
       rate, rate_at, spread_percent, saves_method, tax_minor, terms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     ON CONFLICT (user_id, idempotency_key) DO NOTHING`,
    [
      topup.topupId,
      topup.userId,
      topup.amountMinor,
      topup.currency,
      topup.amountUnits,
      topup.provider,
      topup.idempotencyKey,
      topup.traceId,
      topup.exchange?.rate ?? null,
      topup.exchange?.observedAt ?? null,
      topup.exchange?.spreadPercent ?? null,
      topup.savesMethod,
      topup.taxMinor,
      topup.terms && JSON.stringify(topup.terms),
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

const TOPUP = `SELECT t.topup_id, t.user_id, t.amount_minor, t.tax_minor, t.terms IS NOT NULL AS is_taxed, t.currency, t.amount_units,
    t.status, t.provider_reference, t.payment_url, t.rate, t.rate_at, t.spread_percent, t.provider, t.saves_method, i.invoice_id
  FROM topups t LEFT JOIN invoices i USING (topup_id)`;

export async function readTopup(db: Db, topupId: string): Promise<TopupRow> {
  return toTopup(onlyRow(await db.query<RawTopup>(`${TOPUP} WHERE t.topup_id = $1`, [topupId])));
}

/** The top-up that a user opened with an idempotency key; undefined if there is none. */
export async function readTopupByKey(
  db: Db,
  userId: string,
  idempotencyKey: string,
): Promise<TopupRow | undefined> {
  const where = 't.user_id = $1 AND t.idempotency_key = $2';
  const { rows } = await db.query<RawTopup>(`${TOPUP} WHERE ${where}`, [userId, idempotencyKey]);
  return rows[0] && toTopup(rows[0]);
}

interface RawTopup {
  topup_id: string;
  user_id: string;
  amount_minor: string;
  tax_minor: string;
  is_taxed: boolean;
  currency: Currency;
  amount_units: string;
  status: TopupStatus;
  provider_reference: string | null;
  payment_url: string | null;
  rate: string | null;
  rate_at: Date | null;
  spread_percent: string | null;
  provider: ProviderName;
  saves_method: boolean;
  invoice_id: string | null;
}

function toTopup(row: RawTopup): TopupRow {
  return {
    topupId: row.topup_id,
    userId: row.user_id,
    amountMinor: unitsFromDatabase(row.amount_minor),
    taxMinor: unitsFromDatabase(row.tax_minor),
    isTaxed: row.is_taxed,
    currency: row.currency,
    amountUnits: unitsFromDatabase(row.amount_units),
    exchange:
      row.rate === null || row.rate_at === null
        ? null
        : { rate: row.rate, observedAt: row.rate_at, spreadPercent: Number(row.spread_percent) },
    provider: row.provider,
    savesMethod: row.saves_method,
    status: row.status,
    providerReference: row.provider_reference,
    paymentUrl: row.payment_url,
    invoiceId: row.invoice_id,
  };
}

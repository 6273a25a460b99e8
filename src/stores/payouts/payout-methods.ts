/**
 * Payout methods, tax forms and exchange rates (`migrations/0012_payouts.js`). Rows are only added; the newest applies.
 */
import type { TaxFormKind, TaxFormStatus } from '../../domain/payouts/payout';
import type { PayoutMethod } from '../../domain/payouts/rails';
import type { Db } from '../db';

type Masked = Record<string, string>;

export interface PayoutMethodRow {
  methodId: string;
  method: PayoutMethod;
  masked: Masked;
  createdAt: Date;
}

export async function insertPayoutMethod(
  db: Db,
  row: { methodId: string; developerUserId: string; method: PayoutMethod; sealed: Buffer; masked: object },
): Promise<void> {
  await db.query(
    `INSERT INTO payout_methods (method_id, developer_user_id, method, sealed, masked) VALUES ($1, $2, $3, $4, $5)`,
    [row.methodId, row.developerUserId, row.method, row.sealed, JSON.stringify(row.masked)],
  );
}

export async function readPayoutMethod(
  db: Db,
  developerUserId: string,
): Promise<PayoutMethodRow | undefined> {
  const { rows } = await db.query<{
    method_id: string;
    method: PayoutMethod;
    masked: Masked;
    created_at: Date;
  }>(
    `SELECT method_id, method, masked, created_at FROM payout_methods WHERE developer_user_id = $1
     ORDER BY method_id DESC LIMIT 1`,
    [developerUserId],
  );
  const row = rows[0];
  return (
    row && { methodId: row.method_id, method: row.method, masked: row.masked, createdAt: row.created_at }
  );
}

export interface TaxFormRow {
  formId: string;
  kind: TaxFormKind;
  masked: Masked;
  status: TaxFormStatus;
  submittedAt: Date;
  reviewedAt: Date | null;
  reviewReason: string | null;
}

export async function insertTaxForm(
  db: Db,
  row: { formId: string; developerUserId: string; kind: TaxFormKind; sealed: Buffer; masked: object },
): Promise<void> {
  await db.query(
    `INSERT INTO tax_forms (form_id, developer_user_id, kind, sealed, masked) VALUES ($1, $2, $3, $4, $5)`,
    [row.formId, row.developerUserId, row.kind, row.sealed, JSON.stringify(row.masked)],
  );
}

export async function readTaxForm(db: Db, developerUserId: string): Promise<TaxFormRow | undefined> {
  const { rows } = await db.query<{
    form_id: string;
    kind: TaxFormKind;
    masked: Masked;
    status: TaxFormStatus;
    submitted_at: Date;
    reviewed_at: Date | null;
    review_reason: string | null;
  }>(
    `SELECT form_id, kind, masked, status, submitted_at, reviewed_at, review_reason FROM tax_forms
     WHERE developer_user_id = $1 ORDER BY form_id DESC LIMIT 1`,
    [developerUserId],
  );
  const row = rows[0];
  return (
    row && {
      formId: row.form_id,
      kind: row.kind,
      masked: row.masked,
      status: row.status,
      submittedAt: row.submitted_at,
      reviewedAt: row.reviewed_at,
      reviewReason: row.review_reason,
    }
  );
}

/** Returns false if the form was already reviewed. */
export async function reviewTaxForm(
  db: Db,
  formId: string,
  review: { status: 'accepted' | 'rejected'; by: string; reason: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE tax_forms SET status = $2, reviewed_at = now(), reviewed_by = $3, review_reason = $4
     WHERE form_id = $1 AND status = 'submitted'`,
    [formId, review.status, review.by, review.reason],
  );
  return rowCount === 1;
}

/** Inserts a rate. Returns false if a different rate exists for the same time, because rates are never changed. */
export async function insertRate(
  db: Db,
  rate: { rate: string; observedAt: Date; source: string; loadedBy: string },
): Promise<boolean> {
  const { rows } = await db.query<{ same: boolean }>(
    `WITH added AS (
       INSERT INTO fx_rates (base, quote, rate, observed_at, source, loaded_by) VALUES ('USD', 'INR', $1, $2, $3, $4)
       ON CONFLICT DO NOTHING RETURNING rate)
     SELECT true AS same FROM added
     UNION ALL SELECT rate = $1::numeric FROM fx_rates WHERE base = 'USD' AND quote = 'INR' AND observed_at = $2`,
    [rate.rate, rate.observedAt, rate.source, rate.loadedBy],
  );
  return rows[0]?.same ?? false;
}

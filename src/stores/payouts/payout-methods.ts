/**
 * Payout methods, tax forms and exchange rates (`migrations/0012_payouts.sql`). Rows are only added; the newest
 * applies.
 */
import type { RateCurrency } from '../../domain/payouts/exchange-rate';
import type { TaxFormKind, TaxFormStatus } from '../../domain/payouts/payout';
import type { PayoutMethod } from '../../domain/payouts/rails';
import { MOST_SCANNED } from '../../domain/list-total';
import { onlyRow, type Db } from '../db';
import { countRows } from '../list-total';

type Masked = Record<string, string>;

export interface PayoutMethodRow {
  methodId: string;
  method: PayoutMethod;
  masked: Masked;
  createdAt: Date;
  /** When the bank sent back a paid payout; the method is not used again. */
  returnedAt: Date | null;
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
    returned_at: Date | null;
  }>(
    `SELECT method_id, method, masked, created_at, returned_at FROM payout_methods WHERE developer_user_id = $1
     ORDER BY method_id DESC LIMIT 1`,
    [developerUserId],
  );
  const row = rows[0];
  return (
    row && {
      methodId: row.method_id,
      method: row.method,
      masked: row.masked,
      createdAt: row.created_at,
      returnedAt: row.returned_at,
    }
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

interface RawTaxForm {
  form_id: string;
  kind: TaxFormKind;
  masked: Masked;
  status: TaxFormStatus;
  submitted_at: Date;
  reviewed_at: Date | null;
  review_reason: string | null;
}

const TAX_FORM = 'form_id, kind, masked, status, submitted_at, reviewed_at, review_reason';

export async function readTaxForm(db: Db, developerUserId: string): Promise<TaxFormRow | undefined> {
  const { rows } = await db.query<RawTaxForm>(
    `SELECT ${TAX_FORM} FROM tax_forms WHERE developer_user_id = $1 ORDER BY form_id DESC LIMIT 1`,
    [developerUserId],
  );
  return rows[0] && toTaxForm(rows[0]);
}

/** An unreviewed form that no newer form of its developer has replaced. */
const WAITS = `NOT EXISTS (SELECT FROM tax_forms n WHERE n.developer_user_id = f.developer_user_id AND n.form_id > f.form_id)`;
const WAITING = { from: 'tax_forms f', key: "status = 'submitted'", order: 'form_id DESC', filter: WAITS };

/** Lists forms that wait for a review, newest first. Reads at most `MOST_SCANNED`; `reached` is the last of them. */
export async function listWaitingTaxForms(
  db: Db,
  { beforeId = null, limit }: { beforeId?: string | null | undefined; limit: number },
) {
  const { rows: read } = await db.query<RawTaxForm & { developer_user_id: string; waits: boolean }>(
    `WITH read AS MATERIALIZED (SELECT form_id, ${WAITS} AS waits FROM tax_forms f
         WHERE ${WAITING.key} AND ($1::text IS NULL OR form_id < $1) ORDER BY form_id DESC LIMIT ${MOST_SCANNED}),
       last AS (SELECT form_id FROM read ORDER BY form_id LIMIT 1)
     SELECT waits, ${TAX_FORM}, developer_user_id FROM read JOIN tax_forms USING (form_id)
      WHERE waits OR (form_id IN (SELECT form_id FROM last) AND (SELECT count(*) FROM read) = ${MOST_SCANNED})
      ORDER BY form_id DESC LIMIT $2`,
    [beforeId, limit],
  );
  const last = read.at(-1);
  return {
    rows: read
      .filter(({ waits }) => waits)
      .map((row) => ({ ...toTaxForm(row), developerUserId: row.developer_user_id })),
    total: await countRows(db, WAITING, []),
    reached: last?.waits === false ? [last.form_id] : undefined,
  };
}

function toTaxForm(row: RawTaxForm): TaxFormRow {
  return {
    formId: row.form_id,
    kind: row.kind,
    masked: row.masked,
    status: row.status,
    submittedAt: row.submitted_at,
    reviewedAt: row.reviewed_at,
    reviewReason: row.review_reason,
  };
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
  rate: { rate: string; observedAt: Date; source: string; loadedBy: string; currency?: RateCurrency },
): Promise<boolean> {
  const { rows } = await db.query<{ same: boolean }>(
    `WITH added AS (
       INSERT INTO fx_rates (base, quote, rate, observed_at, source, loaded_by) VALUES ('USD', $5, $1, $2, $3, $4)
       ON CONFLICT DO NOTHING RETURNING rate)
     SELECT true AS same FROM added
     UNION ALL SELECT rate = $1::numeric FROM fx_rates WHERE base = 'USD' AND quote = $5 AND observed_at = $2`,
    [rate.rate, rate.observedAt, rate.source, rate.loadedBy, rate.currency ?? 'INR'],
  );
  return rows[0]?.same ?? false;
}

/** Whether the developer has set a payout method and has sent a tax form. */
export async function readPayoutSetUp(
  db: Db,
  developerUserId: string,
): Promise<{ hasMethod: boolean; hasTaxForm: boolean }> {
  const result = await db.query<{ hasMethod: boolean; hasTaxForm: boolean }>({
    name: 'payout-set-up',
    text: `SELECT EXISTS (SELECT FROM payout_methods WHERE developer_user_id = $1) AS "hasMethod",
             EXISTS (SELECT FROM tax_forms WHERE developer_user_id = $1) AS "hasTaxForm"`,
    values: [developerUserId],
  });
  return onlyRow(result);
}

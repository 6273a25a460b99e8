/** Payment methods that payers have saved at a provider (`migrations/0125_payment_providers.sql`). */
import type { Currency } from '../../domain/billing/billing';
import type { ProviderName, SavedReference } from '../../domain/billing/payment';
import type { Db } from '../db';

export interface SavedMethodRow extends SavedReference {
  methodId: string;
  provider: ProviderName;
  /** What the payer knows it by. */
  label: string;
  /** The currency in which it pays. */
  currency: Currency;
  createdAt: Date;
}

interface RawMethod {
  method_id: string;
  provider: ProviderName;
  customer_ref: string;
  method_ref: string;
  label: string;
  currency: Currency;
  created_at: Date;
}

const METHODS = `SELECT method_id, provider, customer_ref, method_ref, label, currency, created_at FROM saved_methods
  WHERE user_id = $1 AND ended_at IS NULL`;

/** Lists the methods of an account that can pay, newest first. */
export async function listMethods(
  db: Db,
  userId: string,
  page: { limit: number; beforeId?: string | undefined },
): Promise<{ rows: SavedMethodRow[]; total: number }> {
  const { rows } = await db.query<RawMethod>(
    `${METHODS} AND ($2::text IS NULL OR method_id < $2) ORDER BY method_id DESC LIMIT $3`,
    [userId, page.beforeId ?? null, page.limit],
  );
  const total = await db.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM saved_methods WHERE user_id = $1 AND ended_at IS NULL',
    [userId],
  );
  return { rows: rows.map(toMethod), total: total.rows[0]?.n ?? 0 };
}

/** Reads a method of an account that can pay. */
export async function readMethod(
  db: Db,
  userId: string,
  methodId: string,
): Promise<SavedMethodRow | undefined> {
  const { rows } = await db.query<RawMethod>(`${METHODS} AND method_id = $2`, [userId, methodId]);
  return rows[0] && toMethod(rows[0]);
}

/** The customer under whom an account saved its last method at a provider; null for none. */
export async function readCustomer(db: Db, userId: string, provider: ProviderName): Promise<string | null> {
  const { rows } = await db.query<{ customer_ref: string }>(
    'SELECT customer_ref FROM saved_methods WHERE user_id = $1 AND provider = $2 ORDER BY method_id DESC LIMIT 1',
    [userId, provider],
  );
  return rows[0]?.customer_ref ?? null;
}

export interface NewMethod extends SavedReference {
  methodId: string;
  topupId: string;
  provider: ProviderName;
  label: string;
}

/** Keeps the method of a paid top-up whose payer wanted to save it, once. */
export async function keepMethod(db: Db, method: NewMethod): Promise<void> {
  await db.query('SELECT saved_method_keep($1, $2, $3, $4, $5, $6)', [
    method.methodId,
    method.topupId,
    method.provider,
    method.customerRef,
    method.methodRef,
    method.label,
  ]);
}

/** Ends a method; automatic top-ups with it stop. The owner is notified when it was the provider. */
export async function endMethod(
  db: Db,
  provider: ProviderName,
  methodRef: string,
  by: 'owner' | 'provider',
): Promise<void> {
  await db.query('SELECT saved_method_end($1, $2, $3)', [provider, methodRef, by]);
}

function toMethod(row: RawMethod): SavedMethodRow {
  return {
    methodId: row.method_id,
    provider: row.provider,
    customerRef: row.customer_ref,
    methodRef: row.method_ref,
    label: row.label,
    currency: row.currency,
    createdAt: row.created_at,
  };
}

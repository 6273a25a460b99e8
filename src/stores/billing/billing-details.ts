import { type BillingDetails, NO_DETAILS } from '../../domain/billing/billing-details';
import type { Db } from '../db';

interface RawDetails {
  company: string | null;
  address: string | null;
  country: string | null;
  tax_number: string | null;
  receipts_email: string | null;
  reference: string | null;
}

/** Reads what an account has said of itself for its invoices (`migrations/0061_billing_details.sql`). */
export async function readBillingDetails(db: Db, userId: string): Promise<BillingDetails> {
  const { rows } = await db.query<RawDetails>(
    'SELECT company, address, country, tax_number, receipts_email, reference FROM billing_details WHERE user_id = $1',
    [userId],
  );
  const row = rows[0];
  if (!row) return NO_DETAILS;
  const { company, address, country, tax_number: taxNumber, receipts_email: receiptsEmail, reference } = row;
  return { company, address, country, taxNumber, receiptsEmail, reference };
}

/** Like `readBillingDetails`. The account's other changes wait until the transaction ends. */
export async function lockBillingDetails(tx: Db, userId: string): Promise<BillingDetails> {
  await tx.query('SELECT FROM users WHERE user_id = $1 FOR NO KEY UPDATE', [userId]);
  return readBillingDetails(tx, userId);
}

export async function storeBillingDetails(tx: Db, userId: string, details: BillingDetails): Promise<void> {
  const { company, address, country, taxNumber, receiptsEmail, reference } = details;
  await tx.query(
    `INSERT INTO billing_details (user_id, company, address, country, tax_number, receipts_email, reference)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (user_id) DO UPDATE SET company = excluded.company, address = excluded.address,
       country = excluded.country, tax_number = excluded.tax_number, receipts_email = excluded.receipts_email,
       reference = excluded.reference, updated_at = now()`,
    [userId, company, address, country, taxNumber, receiptsEmail, reference],
  );
}

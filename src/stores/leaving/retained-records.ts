/** What the law requires to keep of deleted accounts (ADR 0389). */
import type { Db } from '../db';

/** Whom the invoices and payouts of an account named. */
export interface NamedParties {
  /** Distinct names and addresses of invoices, with the first and the last invoice of each. */
  invoices: { billed_to: unknown; first: string; last: string }[];
  forms: { formId: string; kind: string; sealed: Buffer }[];
  methods: { methodId: string; method: string; sealed: Buffer }[];
}

/** Reads whom the invoices of an account name, and its tax forms and payout methods if something was paid out. */
export async function readNamedParties(db: Db, userId: string): Promise<NamedParties> {
  const invoices = await db.query<NamedParties['invoices'][number]>(
    `SELECT billed_to, min(number) AS first, max(number) AS last FROM invoices
      WHERE user_id = $1 AND billed_to IS NOT NULL GROUP BY billed_to ORDER BY min(invoice_id)`,
    [userId],
  );
  const paid = `EXISTS (SELECT FROM payouts p WHERE p.developer_user_id = $1 AND p.status = 'paid')`;
  const forms = await db.query<NamedParties['forms'][number]>(
    `SELECT form_id AS "formId", kind, sealed FROM tax_forms WHERE developer_user_id = $1 AND ${paid}`,
    [userId],
  );
  const methods = await db.query<NamedParties['methods'][number]>(
    `SELECT method_id AS "methodId", method, sealed FROM payout_methods
      WHERE developer_user_id = $1 AND sealed IS NOT NULL AND ${paid}`,
    [userId],
  );
  return { invoices: invoices.rows, forms: forms.rows, methods: methods.rows };
}

/** Keeps the record of an account. One that is there stays: what it was made of may be erased by now. */
export async function insertRetainedRecord(
  db: Db,
  { userId, sealed, days }: { userId: string; sealed: Buffer; days: number },
): Promise<void> {
  await db.query(
    `INSERT INTO retained_records (user_id, sealed, ends_at) VALUES ($1, $2, now() + $3 * interval '1 day')
     ON CONFLICT (user_id) DO NOTHING`,
    [userId, sealed, days],
  );
}

export async function readRetainedRecord(
  db: Db,
  userId: string,
): Promise<{ sealed: Buffer; keptAt: Date; endsAt: Date } | undefined> {
  const { rows } = await db.query<{ sealed: Buffer; keptAt: Date; endsAt: Date }>(
    'SELECT sealed, kept_at AS "keptAt", ends_at AS "endsAt" FROM retained_records WHERE user_id = $1',
    [userId],
  );
  return rows[0];
}

/** Deletes up to `most` records that the law no longer requires. */
export async function purgeRetainedRecords(db: Db, most: number): Promise<void> {
  await db.query(
    `DELETE FROM retained_records WHERE user_id = ANY (ARRAY (
       SELECT user_id FROM retained_records WHERE ends_at <= now() ORDER BY ends_at LIMIT $1))`,
    [most],
  );
}

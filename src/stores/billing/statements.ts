import type { MonthSums, StatementLine } from '../../domain/billing/statement';
import { unitsFromDatabase } from '../../domain/ledger/money';
import { lowestIdAt } from '../../kit/ids/ids';
import { onlyRow, type Db } from '../db';

/** The sums of statements (`migrations/0140_account_months.sql`). */
interface Window {
  fromMs: number;
  untilMs: number;
}

/**
 * The entries of a window are those of transactions whose ids are of it: an id begins with the time at which it was
 * made, under the locks of the accounts. So only the partition of a month is read, and the entries of an account have
 * the order of their balances.
 */
const SUMS = `
  WITH own AS MATERIALIZED (
    SELECT a.account_id, a.kind, a.balance_units FROM accounts a WHERE a.user_id = $1 AND a.kind IN ('wallet', 'escrow')
  ), moved AS (
    SELECT e.entry_type AS type, sum(e.amount_units) AS units, count(*) FILTER (WHERE o.kind = 'wallet') AS count
    FROM own o CROSS JOIN LATERAL (
      SELECT n.entry_type, n.amount_units FROM all_entries n
       WHERE n.account_id = o.account_id AND n.transaction_id >= $2 AND n.transaction_id < $3 OFFSET 0) e
    GROUP BY e.entry_type
  )
  SELECT (SELECT sum(coalesce((SELECT f.balance_before_units FROM all_entries f
                                WHERE f.account_id = o.account_id AND f.transaction_id >= $2
                                ORDER BY f.entry_id LIMIT 1), o.balance_units)) FROM own o) AS opening,
         coalesce((SELECT jsonb_agg(jsonb_build_object('type', m.type, 'count', m.count, 'units', m.units) ORDER BY m.type)
                     FROM moved m WHERE m.units <> 0), '[]') AS sums`;

/** Reads what an account had at the begin of a window, and what moved in it, from the ledger. */
export async function readMonthSums(db: Db, userId: string, { fromMs, untilMs }: Window): Promise<MonthSums> {
  const result = await db.query<{ opening: string | null; sums: StatementLine[] }>({
    name: 'month-sums',
    text: SUMS,
    values: [userId, lowestIdAt('txn', fromMs), lowestIdAt('txn', untilMs)],
  });
  const { opening, sums } = onlyRow(result);
  return { openingUnits: unitsFromDatabase(opening ?? 0), lines: sums };
}

/** Reads the kept sums of a closed month. */
export async function readKeptMonth(db: Db, userId: string, month: string): Promise<MonthSums | undefined> {
  const { rows } = await db.query<{ opening_units: string; sums: StatementLine[] }>(
    'SELECT opening_units, sums FROM account_months WHERE user_id = $1 AND month = $2',
    [userId, month],
  );
  const row = rows[0];
  return row && { openingUnits: unitsFromDatabase(row.opening_units), lines: row.sums };
}

/** Keeps the sums of a closed month, once. */
export async function keepMonth(db: Db, userId: string, month: string, sums: MonthSums): Promise<void> {
  await db.query(
    `INSERT INTO account_months (user_id, month, opening_units, sums) VALUES ($1, $2, $3, $4)
     ON CONFLICT (user_id, month) DO NOTHING`,
    [userId, month, sums.openingUnits, JSON.stringify(sums.lines)],
  );
}

export interface StatementPaper {
  kind: 'invoice' | 'credit' | 'debit';
  id: string;
  number: string;
  issuedAt: Date;
  amountMinor: number;
  taxMinor: number;
  currency: string;
  units: number;
}

interface RawPaper {
  kind: 'invoice' | 'credit' | 'debit';
  id: string;
  number: string;
  issued_at: Date;
  amount_minor: string;
  tax_minor: string;
  currency: string;
  amount_units: string;
}

/** Reads the invoices and notes of a window, the oldest first, at most `most`. */
export async function readPapers(
  db: Db,
  userId: string,
  { fromMs, untilMs, most }: Window & { most: number },
): Promise<StatementPaper[]> {
  const { rows } = await db.query<RawPaper>(
    `SELECT * FROM (
       (SELECT 'invoice' AS kind, i.invoice_id AS id, i.number, i.issued_at, i.amount_minor, i.tax_minor, i.currency,
               i.amount_units
        FROM invoices i WHERE i.user_id = $1 AND i.invoice_id >= $2 AND i.invoice_id < $3 ORDER BY i.invoice_id LIMIT $6)
       UNION ALL
       (SELECT n.kind, n.note_id, n.number, n.issued_at, n.amount_minor, n.tax_minor, i.currency, n.amount_units
        FROM invoice_notes n JOIN invoices i USING (invoice_id)
        WHERE n.user_id = $1 AND n.note_id >= $4 AND n.note_id < $5 ORDER BY n.note_id LIMIT $6)) p
     ORDER BY p.issued_at, p.number LIMIT $6`,
    [
      userId,
      lowestIdAt('ivc', fromMs),
      lowestIdAt('ivc', untilMs),
      lowestIdAt('nte', fromMs),
      lowestIdAt('nte', untilMs),
      most,
    ],
  );
  return rows.map((row) => ({
    kind: row.kind,
    id: row.id,
    number: row.number,
    issuedAt: row.issued_at,
    amountMinor: unitsFromDatabase(row.amount_minor),
    taxMinor: unitsFromDatabase(row.tax_minor),
    currency: row.currency,
    units: unitsFromDatabase(row.amount_units),
  }));
}

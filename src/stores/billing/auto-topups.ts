/** Automatic top-ups: their settings, and what is due (`migrations/0126_automatic_topups.sql`). */
import type { Currency } from '../../domain/billing/billing';
import type { AutoTopupStop } from '../../domain/billing/auto-topup';
import type { ProviderName, SavedReference } from '../../domain/billing/payment';
import type { TopupTerms } from '../../domain/billing/tax';
import type { TopupPrice } from '../../domain/billing/topup-price';
import { unitsFromDatabase } from '../../domain/ledger/money';
import { onlyRow, type Db } from '../db';

export interface AutoTopupWish {
  methodId: string;
  belowUnits: number;
  buyUnits: number;
  maxPerDay: number;
  maxMonthUnits: number;
}

export interface AutoTopupRow extends AutoTopupWish {
  failed: number;
  stoppedFor: AutoTopupStop | null;
  /** Automatic top-ups of this day that did not fail, and the units of those of this month. */
  today: number;
  monthUnits: number;
  timeZone: string;
}

interface RawAutoTopup {
  method_id: string;
  below_units: string;
  buy_units: string;
  max_per_day: number;
  max_month_units: string;
  failed: number;
  stopped_for: AutoTopupStop | null;
  today: number;
  month_units: string;
  time_zone: string;
}

/** The automatic top-ups of an account, with what they have bought; undefined if they are off. */
export async function readAutoTopup(db: Db, userId: string): Promise<AutoTopupRow | undefined> {
  const { rows } = await db.query<RawAutoTopup>(
    `SELECT a.method_id, a.below_units, a.buy_units, a.max_per_day, a.max_month_units, a.failed, a.stopped_for, u.time_zone,
       (SELECT count(*)::int FROM topups t WHERE t.user_id = a.user_id AND t.automatic AND t.status <> 'failed'
          AND t.created_at >= budget_window_start('day', now(), u.time_zone)) AS today,
       (SELECT coalesce(sum(t.amount_units), 0) FROM topups t WHERE t.user_id = a.user_id AND t.automatic
          AND t.status <> 'failed' AND t.created_at >= budget_window_start('month', now(), u.time_zone)) AS month_units
     FROM auto_topups a JOIN users u USING (user_id) WHERE a.user_id = $1`,
    [userId],
  );
  const [row] = rows;
  return (
    row && {
      methodId: row.method_id,
      belowUnits: unitsFromDatabase(row.below_units),
      buyUnits: unitsFromDatabase(row.buy_units),
      maxPerDay: row.max_per_day,
      maxMonthUnits: unitsFromDatabase(row.max_month_units),
      failed: row.failed,
      stoppedFor: row.stopped_for,
      today: row.today,
      monthUnits: unitsFromDatabase(row.month_units),
      timeZone: row.time_zone,
    }
  );
}

/** Sets the automatic top-ups of an account. They begin anew, also after they stopped. */
export async function writeAutoTopup(db: Db, userId: string, wish: AutoTopupWish): Promise<void> {
  await db.query(
    `INSERT INTO auto_topups AS a (user_id, method_id, below_units, buy_units, max_per_day, max_month_units)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (user_id) DO UPDATE SET method_id = excluded.method_id, below_units = excluded.below_units,
       buy_units = excluded.buy_units, max_per_day = excluded.max_per_day, max_month_units = excluded.max_month_units,
       failed = 0, stopped_for = NULL, try_at = now(), updated_at = now()`,
    [userId, wish.methodId, wish.belowUnits, wish.buyUnits, wish.maxPerDay, wish.maxMonthUnits],
  );
}

export async function deleteAutoTopup(db: Db, userId: string): Promise<void> {
  await db.query('DELETE FROM auto_topups WHERE user_id = $1', [userId]);
}

/** An account whose wallet holds too little, with the method that pays. */
export interface DueTopup extends SavedReference {
  userId: string;
  methodId: string;
  provider: ProviderName;
  currency: Currency;
  buyUnits: number;
  /** A pending automatic top-up that a process began and did not hand to the provider in time. */
  unsent: { topupId: string; amountMinor: number; isOld: boolean } | null;
}

interface RawDue {
  user_id: string;
  is_due: boolean;
  method_id: string;
  provider: ProviderName;
  currency: Currency;
  customer_ref: string;
  method_ref: string;
  buy_units: string;
  unsent_id: string | null;
  unsent_minor: string | null;
  unsent_old: boolean | null;
}

/**
 * Reads the next accounts with automatic top-ups behind `afterUserId`, at most `most`: those that are due, and the last
 * account of the page, null when it is the last page. `giveUpMs`: an unsent top-up is old after this time.
 */
export async function readDueTopups(
  db: Db,
  page: { afterUserId: string; most: number; giveUpMs: number },
): Promise<{ due: DueTopup[]; lastUserId: string | null }> {
  const { rows } = await db.query<RawDue>(
    `SELECT a.user_id, m.method_id, m.provider, m.currency, m.customer_ref, m.method_ref, a.buy_units,
       p.topup_id AS unsent_id, p.amount_minor AS unsent_minor,
       p.created_at < now() - $3 * interval '1 millisecond' AS unsent_old,
       p.topup_id IS NOT NULL OR (a.stopped_for IS NULL AND a.try_at <= now() AND w.balance_units < a.below_units
         AND NOT EXISTS (SELECT FROM topups o WHERE o.user_id = a.user_id AND o.automatic AND o.status = 'pending')) AS is_due
     FROM auto_topups a
     JOIN accounts w ON w.user_id = a.user_id AND w.kind = 'wallet'
     LEFT JOIN topups p ON p.user_id = a.user_id AND p.automatic AND p.status = 'pending'
       AND p.provider_reference IS NULL AND p.lease_until < now()
     JOIN saved_methods m ON m.method_id = coalesce(p.method_id, a.method_id)
     WHERE a.user_id > $1 ORDER BY a.user_id LIMIT $2`,
    [page.afterUserId, page.most, page.giveUpMs],
  );
  const last = rows.length < page.most ? undefined : rows.at(-1);
  return { due: rows.filter((row) => row.is_due).map(toDue), lastUserId: last?.user_id ?? null };
}

function toDue(row: RawDue): DueTopup {
  return {
    userId: row.user_id,
    methodId: row.method_id,
    provider: row.provider,
    currency: row.currency,
    customerRef: row.customer_ref,
    methodRef: row.method_ref,
    buyUnits: unitsFromDatabase(row.buy_units),
    unsent:
      row.unsent_id === null
        ? null
        : {
            topupId: row.unsent_id,
            amountMinor: unitsFromDatabase(row.unsent_minor ?? '0'),
            isOld: row.unsent_old === true,
          },
  };
}

export interface AutoTopupBegin {
  userId: string;
  methodId: string;
  topupId: string;
  /** With the tax. */
  amountMinor: number;
  taxMinor: number;
  terms: TopupTerms | null;
  price: TopupPrice;
  traceId: string;
  leaseMs: number;
}

/** Begins an automatic top-up, if the account still needs one; one process does. */
export async function beginAutoTopup(
  db: Db,
  { userId, methodId, topupId, amountMinor, taxMinor, terms, price, traceId, leaseMs }: AutoTopupBegin,
): Promise<'begun' | 'not_due' | 'limited'> {
  const { units, exchange } = price;
  const result = await db.query<{ outcome: 'begun' | 'not_due' | 'limited' }>(
    'SELECT auto_topup_begin($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS outcome',
    [
      userId,
      methodId,
      topupId,
      amountMinor,
      units,
      exchange?.rate ?? null,
      exchange?.observedAt ?? null,
      exchange?.spreadPercent ?? null,
      traceId,
      leaseMs,
      taxMinor,
      terms && JSON.stringify(terms),
    ],
  );
  return onlyRow(result).outcome;
}

/** Takes over an unsent top-up whose lease has ended. False if another process was faster. */
export async function leaseAutoTopup(db: Db, topupId: string, leaseMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE topups SET lease_until = now() + $2 * interval '1 millisecond'
     WHERE topup_id = $1 AND automatic AND status = 'pending' AND provider_reference IS NULL AND lease_until < now()`,
    [topupId, leaseMs],
  );
  return rowCount === 1;
}

/** Fails a pending automatic top-up with a code; its account is notified. */
export async function failAutoTopup(db: Db, topupId: string, reason: string): Promise<void> {
  await db.query('SELECT auto_topup_fail($1, $2)', [topupId, reason]);
}

/** Makes an account that cannot be served now wait before its next automatic top-up. */
export async function postponeAutoTopup(db: Db, userId: string, ms: number): Promise<void> {
  await db.query(`UPDATE auto_topups SET try_at = now() + $2 * interval '1 millisecond' WHERE user_id = $1`, [
    userId,
    ms,
  ]);
}

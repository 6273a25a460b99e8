/** The payouts of one Monday as operators read them: totals, and the names of developers. */
import type { PayoutStatus } from '../../domain/payouts/payout';
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';

/** Mondays that the list of weeks names. */
const MOST_WEEKS = 26;

export interface PayoutWeekGroup {
  status: PayoutStatus;
  currency: string | null;
  payouts: number;
  amountUnits: number;
  amountMinor: number | null;
}

/** Sums the payouts of the run of a Monday by state and currency. Reads the payouts of that week only. */
export async function readPayoutWeek(db: Db, asOf: Date): Promise<PayoutWeekGroup[]> {
  const { rows } = await db.query<{
    status: PayoutStatus;
    currency: string | null;
    payouts: string;
    units: string;
    minor: string | null;
  }>(
    `SELECT status, currency, count(*) AS payouts, sum(amount_units) AS units, sum(amount_minor) AS minor
       FROM payouts WHERE as_of = $1 GROUP BY status, currency ORDER BY status, currency`,
    [asOf],
  );
  return rows.map(({ status, currency, payouts, units, minor }) => ({
    status,
    currency,
    payouts: Number(payouts),
    amountUnits: unitsFromDatabase(units),
    amountMinor: minor === null ? null : unitsFromDatabase(minor),
  }));
}

/** Lists the latest Mondays with a run as UTC days, newest first. */
export async function listPayoutMondays(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ monday: string }>(
    `WITH RECURSIVE m AS (
       (SELECT as_of, 1 AS n FROM payout_runs ORDER BY as_of DESC LIMIT 1)
       UNION ALL
       SELECT (SELECT r.as_of FROM payout_runs r WHERE r.as_of < m.as_of ORDER BY r.as_of DESC LIMIT 1), n + 1
         FROM m WHERE m.as_of IS NOT NULL AND n < ${MOST_WEEKS})
     SELECT (as_of AT TIME ZONE 'UTC')::date::text AS monday FROM m WHERE as_of IS NOT NULL`,
  );
  return rows.map((row) => row.monday);
}

/** The names of developers by their user ids. */
export async function readNames(db: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ user_id: string; display_name: string }>(
    'SELECT user_id, display_name FROM users WHERE user_id = ANY ($1)',
    [userIds],
  );
  return new Map(rows.map((row) => [row.user_id, row.display_name]));
}

/**
 * Sums of each developer's lots by the UTC day on which they mature (`migrations/0018_earning_days.sql`,
 * docs/internals/statements.md#sums-by-day).
 */
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';

/** Adds up to `most` waiting changes of lots to the days of their developers. Returns how many. */
export async function rollUpEarningDays(db: Db, most: number): Promise<number> {
  const { rows } = await db.query<{ rolled: string }>('SELECT earning_days_roll_up($1) AS rolled', [most]);
  return Number(rows[0]?.rolled ?? 0);
}

/** Unpaid earnings that mature on one UTC day. */
export interface MaturityDay {
  /** `YYYY-MM-DD`. */
  date: string;
  units: number;
  earnings: number;
  /** The part of `units` that is in an open dispute. */
  disputed: number;
}

/**
 * `changes`: what waits to be added, by day. `total` counts the days with lots; only the days of the page are summed.
 */
const MATURITY = `WITH changes AS MATERIALIZED (
    SELECT matures_on, sum(lots) AS lots, sum(open_units) AS open_units, sum(disputed_units) AS disputed_units
      FROM earning_changes WHERE developer_user_id = $1 GROUP BY matures_on),
  total AS (
    SELECT (SELECT count(*) FROM earning_days d WHERE d.developer_user_id = $1 AND d.lots > 0)
      + (SELECT coalesce(sum((coalesce(d.lots, 0) + c.lots > 0)::int - (coalesce(d.lots, 0) > 0)::int), 0) FROM changes c
           LEFT JOIN earning_days d ON d.developer_user_id = $1 AND d.matures_on = c.matures_on) AS total),
  near AS (
    (SELECT matures_on, lots, open_units, disputed_units FROM earning_days
      WHERE developer_user_id = $1 AND matures_on > $2::date AND lots > 0
      ORDER BY matures_on LIMIT $3 + (SELECT count(*) FROM changes))
    UNION ALL SELECT * FROM changes WHERE matures_on > $2::date
    UNION ALL SELECT d.matures_on, d.lots, d.open_units, d.disputed_units FROM changes c JOIN earning_days d
      ON d.developer_user_id = $1 AND d.matures_on = c.matures_on AND d.lots <= 0 WHERE d.matures_on > $2::date),
  days AS (
    SELECT matures_on, sum(open_units) AS units, sum(lots) AS earnings, sum(disputed_units) AS disputed
      FROM near GROUP BY matures_on HAVING sum(lots) > 0 ORDER BY matures_on LIMIT $3)
  SELECT t.total, to_char(d.matures_on, 'YYYY-MM-DD') AS date, d.units, d.earnings, d.disputed
    FROM total t LEFT JOIN days d ON true ORDER BY d.matures_on`;

/** Lists a developer's unpaid earnings by the UTC day on which they mature, with the number of such days. */
export async function listMaturity(
  db: Db,
  developerUserId: string,
  page: { limit: number; afterDate?: string | undefined },
): Promise<{ rows: MaturityDay[]; total: number }> {
  type Row = { total: string } & Record<'units' | 'earnings' | 'disputed', string> & { date: string | null };
  const { rows } = await db.query<Row>({
    name: 'developer-maturity',
    text: MATURITY,
    values: [developerUserId, page.afterDate ?? '-infinity', page.limit],
  });
  const days = rows.filter((row): row is Row & { date: string } => row.date !== null);
  return {
    rows: days.map((row) => ({
      date: row.date,
      units: unitsFromDatabase(row.units),
      earnings: Number(row.earnings),
      disputed: unitsFromDatabase(row.disputed),
    })),
    total: Number(rows[0]?.total ?? 0),
  };
}

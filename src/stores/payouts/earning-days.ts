/** Sums of each developer's lots by the UTC day on which they mature (`migrations/0022_earning_days.js`, ADR 0091). */
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

/** Lists a developer's unpaid earnings by the UTC day on which they mature, with the number of such days. */
export async function listMaturity(
  db: Db,
  developerUserId: string,
  page: { limit: number; afterDate?: string | undefined },
): Promise<{ rows: MaturityDay[]; total: number }> {
  type Row = { total: string } & Record<'units' | 'earnings' | 'disputed', string> & { date: string | null };
  const { rows } = await db.query<Row>({
    name: 'developer-maturity',
    text: `WITH days AS MATERIALIZED (
       SELECT to_char(matures_on, 'YYYY-MM-DD') AS date, sum(open_units) AS units, sum(lots) AS earnings,
              sum(disputed_units) AS disputed
       FROM earning_day_lots WHERE developer_user_id = $1 GROUP BY matures_on HAVING sum(lots) > 0)
     SELECT c.total, d.* FROM (SELECT count(*) AS total FROM days) c
       LEFT JOIN LATERAL (SELECT * FROM days WHERE date > $2 ORDER BY date LIMIT $3) d ON true ORDER BY d.date`,
    values: [developerUserId, page.afterDate ?? '', page.limit],
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

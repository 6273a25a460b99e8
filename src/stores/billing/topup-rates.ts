import type { Currency } from '../../domain/billing/billing';
import type { SpotRate } from '../../domain/billing/topup-price';
import type { Db } from '../db';

/** The newest rate of a currency to the dollar that was observed by now. Rates of the future do not count. */
export async function readSpotRate(db: Db, currency: Currency): Promise<SpotRate | undefined> {
  const { rows } = await db.query<{ rate: string; observed_at: Date }>(
    `SELECT rate, observed_at FROM fx_rates WHERE base = 'USD' AND quote = $1 AND observed_at <= now()
     ORDER BY observed_at DESC LIMIT 1`,
    [currency],
  );
  const [row] = rows;
  return row && { rate: row.rate, observedAt: row.observed_at };
}

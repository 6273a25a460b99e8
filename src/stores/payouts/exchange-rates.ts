/** Exchange rates (`migrations/0012_payouts.sql`), and the results of fetching them (`fx_fetches`). */
import type { FetchOutcome, RateCurrency, RateQuote } from '../../domain/payouts/exchange-rate';
import { newId } from '../../kit/ids/ids';
import type { Db } from '../db';
import { countRows } from '../list-total';

export interface RateRow extends RateQuote {
  currency: RateCurrency;
  /** The observation time in microseconds since the epoch: the place of the rate in the list. */
  position: string;
  source: string;
  /** User id of an operator, or `source:<name>`. */
  loadedBy: string;
  loadedAt: Date;
}

export interface RatePage {
  beforeMicros?: string | undefined;
  limit: number;
  /** Default: INR. */
  currency?: RateCurrency | undefined;
}

interface RawRate {
  quote: RateCurrency;
  rate: string;
  observed_at: Date;
  position: string;
  source: string;
  loaded_by: string;
  loaded_at: Date;
}

/** The rate with the latest observation time at or before `atMs`. Rates observed later are ignored. */
export async function readNewestRate(
  db: Db,
  atMs: number,
  currency: RateCurrency = 'INR',
): Promise<RateRow | undefined> {
  return (await readRates(db, { beforeMicros: String((atMs + 1) * 1_000), limit: 1, currency }))[0];
}

/**
 * Lists the rates of a currency by observation time, latest first, with the total. `beforeMicros`: only rates observed
 * before this time, in microseconds since the epoch.
 */
export async function listRates(db: Db, page: RatePage): Promise<{ rows: RateRow[]; total: number }> {
  const list = { from: 'fx_rates', key: `base = 'USD' AND quote = $1`, order: 'observed_at DESC' };
  return { rows: await readRates(db, page), total: await countRows(db, list, [page.currency ?? 'INR']) };
}

async function readRates(db: Db, { beforeMicros, limit, currency = 'INR' }: RatePage): Promise<RateRow[]> {
  const { rows } = await db.query<RawRate>(
    `SELECT quote, rate, observed_at, (extract(epoch FROM observed_at) * 1000000)::bigint::text AS position, source, loaded_by,
            loaded_at FROM fx_rates
     WHERE base = 'USD' AND quote = $3
       AND ($1::bigint IS NULL OR observed_at < timestamptz 'epoch' + $1::bigint * interval '1 microsecond')
     ORDER BY observed_at DESC LIMIT $2`,
    [beforeMicros ?? null, limit, currency],
  );
  return rows.map((row) => ({
    currency: row.quote,
    rate: row.rate,
    observedAt: row.observed_at,
    position: row.position,
    source: row.source,
    loadedBy: row.loaded_by,
    loadedAt: row.loaded_at,
  }));
}

export interface RateFetch {
  source: string;
  outcome: FetchOutcome;
  /** Error code; null after a success. */
  reason: string | null;
  /** The reason as text. */
  message: string | null;
  rate: string | null;
  observedAt: Date | null;
}

export interface RateFetchRow extends RateFetch {
  fetchId: string;
  firstAt: Date;
  lastAt: Date;
  times: number;
}

interface RawFetch {
  fetch_id: string;
  source: string;
  outcome: FetchOutcome;
  reason: string | null;
  message: string | null;
  rate: string | null;
  observed_at: Date | null;
  first_at: Date;
  last_at: Date;
  times: number;
}

/** Records a fetch. A fetch with the same result as the previous one increments its count instead of adding a row. */
export async function recordRateFetch(db: Db, fetch: RateFetch): Promise<void> {
  await db.query('SELECT fx_fetch_record($1, $2, $3, $4, $5, $6, $7)', [
    newId('fxf'),
    fetch.source,
    fetch.outcome,
    fetch.reason,
    fetch.message,
    fetch.rate,
    fetch.observedAt,
  ]);
}

/** Lists fetches, newest first, with the total. */
export async function listRateFetches(
  db: Db,
  page: { beforeId?: string | undefined; limit: number },
): Promise<{ rows: RateFetchRow[]; total: number }> {
  const { rows } = await db.query<RawFetch>(
    'SELECT * FROM fx_fetches WHERE $1::text IS NULL OR fetch_id < $1 ORDER BY fetch_id DESC LIMIT $2',
    [page.beforeId ?? null, page.limit],
  );
  const list = { from: 'fx_fetches', key: 'true', order: 'fetch_id DESC' };
  return {
    rows: rows.map((row) => ({
      fetchId: row.fetch_id,
      source: row.source,
      outcome: row.outcome,
      reason: row.reason,
      message: row.message,
      rate: row.rate,
      observedAt: row.observed_at,
      firstAt: row.first_at,
      lastAt: row.last_at,
      times: row.times,
    })),
    total: await countRows(db, list, []),
  };
}

/** Rates of exchange (migration 0920) as people read them, and what their source answered (0970). */
import type { FetchOutcome, RateQuote } from '../../domain/payouts/exchange-rate';
import { newId } from '../../kit/ids/ids';
import { onlyRow, type Db } from '../db';

export interface RateRow extends RateQuote {
  source: string;
  /** The user id of an operator, or `source:<name>`. */
  loadedBy: string;
  loadedAt: Date;
}

interface RawRate {
  rate: string;
  observed_at: Date;
  source: string;
  loaded_by: string;
  loaded_at: Date;
}

/** The rate with the latest time at or before `atMs`, whoever loaded it: one of a time to come is not known yet. */
export async function readNewestRate(db: Db, atMs: number): Promise<RateRow | undefined> {
  return (await listRates(db, { beforeAt: new Date(atMs + 1).toISOString(), limit: 1 })).rows[0];
}

/** By their own time, latest first; `beforeAt` continues below a time. */
export async function listRates(
  db: Db,
  page: { beforeAt?: string | undefined; limit: number },
): Promise<{ rows: RateRow[]; total: number }> {
  const { rows } = await db.query<RawRate>(
    `SELECT rate, observed_at, source, loaded_by, loaded_at FROM fx_rates
     WHERE base = 'USD' AND quote = 'INR' AND ($1::timestamptz IS NULL OR observed_at < $1)
     ORDER BY observed_at DESC LIMIT $2`,
    [page.beforeAt ?? null, page.limit],
  );
  const total = await db.query<{ count: string }>('SELECT count(*) FROM fx_rates');
  return {
    rows: rows.map((row) => ({
      rate: row.rate,
      observedAt: row.observed_at,
      source: row.source,
      loadedBy: row.loaded_by,
      loadedAt: row.loaded_at,
    })),
    total: Number(onlyRow(total).count),
  };
}

export interface RateFetch {
  source: string;
  outcome: FetchOutcome;
  /** A code; null when there is nothing to say. */
  reason: string | null;
  /** The same in words. */
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

/** A look that ended as the one before it did is counted there; any other has a row of its own. */
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

/** Newest first. */
export async function listRateFetches(
  db: Db,
  page: { beforeId?: string | undefined; limit: number },
): Promise<{ rows: RateFetchRow[]; total: number }> {
  const { rows } = await db.query<RawFetch>(
    'SELECT * FROM fx_fetches WHERE $1::text IS NULL OR fetch_id < $1 ORDER BY fetch_id DESC LIMIT $2',
    [page.beforeId ?? null, page.limit],
  );
  const total = await db.query<{ count: string }>('SELECT count(*) FROM fx_fetches');
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
    total: Number(onlyRow(total).count),
  };
}

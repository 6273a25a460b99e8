import { listExchangeRates, listRateFetches } from '../../contract/exchange-rates';
import type { ExchangeRates, RateFetchRow, RateRow } from '../../services/payouts/exchange-rates';
import { listPage } from '../requests/list-page';
import type { RouteBinder } from '../binding/route';

export interface ExchangeRateRouteDeps {
  exchangeRates: ExchangeRates;
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const FETCH_ID = /^fxf_[0-9a-f]{32}$/;

/** What operators read of rates of exchange and of their source. */
export function exchangeRateRoutes(binder: RouteBinder, { exchangeRates }: ExchangeRateRouteDeps): void {
  binder.bind(listExchangeRates, ({ query }) =>
    listPage('exchange-rates', query, INSTANT, async (beforeAt, limit) => {
      const { rows, total } = await exchangeRates.list({ beforeAt, limit });
      return { rows, total, idOf: (row: RateRow) => row.observedAt.toISOString(), view: toRate };
    }),
  );

  binder.bind(listRateFetches, ({ query }) =>
    listPage('exchange-rate-fetches', query, FETCH_ID, async (beforeId, limit) => {
      const { rows, total } = await exchangeRates.fetches({ beforeId, limit });
      return { rows, total, idOf: (row: RateFetchRow) => row.fetchId, view: toFetch };
    }),
  );
}

function toRate(row: RateRow) {
  return {
    pair: 'USD/INR' as const,
    rate: row.rate,
    observed_at: row.observedAt.toISOString(),
    source: row.source,
    loaded_by: row.loadedBy,
    loaded_at: row.loadedAt.toISOString(),
  };
}

function toFetch(row: RateFetchRow) {
  return {
    fetch_id: row.fetchId,
    source: row.source,
    outcome: row.outcome,
    reason: row.reason,
    message: row.message,
    rate: row.rate,
    observed_at: row.observedAt?.toISOString() ?? null,
    first_at: row.firstAt.toISOString(),
    last_at: row.lastAt.toISOString(),
    times: row.times,
  };
}

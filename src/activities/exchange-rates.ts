import type { ExchangeRates, FetchReport } from '../services/payouts/exchange-rates';

export type ExchangeRateActivities = ReturnType<typeof createExchangeRateActivities>;

/**
 * The activity of the `exchangeRates` workflow. A failure at the source is a return value. A thrown error is an
 * internal fault; Temporal retries it.
 */
export function createExchangeRateActivities(exchangeRates: Pick<ExchangeRates, 'fetch'>) {
  return { fetchExchangeRate: (): Promise<FetchReport> => exchangeRates.fetch() };
}

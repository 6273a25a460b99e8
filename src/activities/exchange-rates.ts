import type { ExchangeRates, FetchReport } from '../services/payouts/exchange-rates';

export type ExchangeRateActivities = ReturnType<typeof createExchangeRateActivities>;

/** The step of the `exchangeRates` workflow. A source that fails is an answer; what is thrown is a fault of ours. */
export function createExchangeRateActivities(exchangeRates: Pick<ExchangeRates, 'fetch'>) {
  return { fetchExchangeRate: (): Promise<FetchReport> => exchangeRates.fetch() };
}

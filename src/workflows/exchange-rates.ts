/** Asks the source of exchange rates for what is new (docs/payouts.md); run by a Schedule, every hour. */
import { proxyActivities } from '@temporalio/workflow';
import type { ExchangeRateActivities } from '../activities/exchange-rates';

const { fetchExchangeRate } = proxyActivities<ExchangeRateActivities>({
  startToCloseTimeout: '60s',
  retry: { initialInterval: '1s', maximumInterval: '30s' },
});

/** What failed at the source is tried again by the next turn. */
export async function exchangeRates(): Promise<{ outcome: string; reason: string | null }> {
  return fetchExchangeRate();
}

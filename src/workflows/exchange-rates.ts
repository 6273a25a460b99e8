/** Fetches the newest exchange rate from its source (docs/payouts.md). A Schedule starts it every hour. */
import { proxyActivities } from '@temporalio/workflow';
import type { ExchangeRateActivities } from '../activities/exchange-rates';

const { fetchExchangeRate } = proxyActivities<ExchangeRateActivities>({
  startToCloseTimeout: '60s',
  retry: { initialInterval: '1s', maximumInterval: '30s' },
});

/** A failure at the source is a result; the next scheduled run tries again. */
export async function exchangeRates(): Promise<{ outcome: string; reason: string | null }> {
  return fetchExchangeRate();
}

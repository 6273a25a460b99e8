/** Fetches the newest exchange rate from its source (docs/payouts.md). A Schedule starts it every hour. */
import { proxyActivities } from '@temporalio/workflow';
import type { ExchangeRateActivities } from '../activities/exchange-rates';
import { show } from './details';

const { fetchExchangeRate } = proxyActivities<ExchangeRateActivities>({
  startToCloseTimeout: '60s',
  retry: { initialInterval: '1s', maximumInterval: '30s' },
});

/** A failure at the source is a result; the next scheduled run tries again. */
export async function exchangeRates(): Promise<{ outcome: string; reason: string | null }> {
  show({
    state: 'Fetches the newest exchange rate from its source',
    then: 'the Schedule starts the next fetch in an hour; payouts use the newest rate that was stored',
    credits: ['none move'],
  });
  const fetched = await fetchExchangeRate();
  show({
    state: `Ended: ${fetched.outcome}${fetched.reason === null ? '' : ` (${fetched.reason})`}`,
    then: 'the Schedule starts the next fetch in an hour',
    credits: ['none move'],
  });
  return fetched;
}

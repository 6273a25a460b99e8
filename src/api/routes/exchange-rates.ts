import { listExchangeRates, listRateFetches } from '../../contract/exchange-rates';
import type { RateCurrency } from '../../domain/payouts/exchange-rate';
import type { ExchangeRates } from '../../services/payouts/exchange-rates';
import { idPosition, listPage } from '../requests/list-page';
import { rateFetchView, rateView } from '../views/payouts';
import type { RouteBinder } from '../binding/route';

export interface ExchangeRateRouteDeps {
  exchangeRates: ExchangeRates;
}

const RATE_POSITION = [/^[0-9]{1,18}$/];
const FETCH_POSITION = idPosition('fxf');

/** The currency of a pair such as `USD/EUR`. */
const currencyOf = (pair: `USD/${RateCurrency}` | undefined): RateCurrency | undefined =>
  pair && (pair.slice(4) as RateCurrency);

/** What operators read of exchange rates and of their source. */
export function exchangeRateRoutes(binder: RouteBinder, { exchangeRates }: ExchangeRateRouteDeps): void {
  binder.bind(listExchangeRates, ({ query }) =>
    listPage(
      { list: ['exchange-rates', query.pair], position: RATE_POSITION, query },
      ([beforeMicros], limit) =>
        exchangeRates.list({ beforeMicros, limit, currency: currencyOf(query.pair) }),
      { position: (row) => [row.position], view: rateView },
    ),
  );

  binder.bind(listRateFetches, ({ query }) =>
    listPage(
      { list: ['exchange-rate-fetches'], position: FETCH_POSITION, query },
      ([beforeId], limit) => exchangeRates.fetches({ beforeId, limit }),
      { position: (row) => [row.fetchId], view: rateFetchView },
    ),
  );
}

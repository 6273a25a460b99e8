import type { DbPool } from '../../stores/db';
import { createAutoTopups } from './auto-topups';
import type { ProviderDeps } from './providers/payment-provider';
import { createPaymentProviders } from './providers/payment-providers';
import { createPayments } from './payments';
import { createSavedMethods } from './saved-methods';
import { createTopupPrices } from './topup-prices';

/** The services of payments that come in, and what the service of top-ups needs of them. */
export function createTopupParts({ pool, ...deps }: ProviderDeps & { pool: DbPool }) {
  const { config, logger } = deps;
  const providers = createPaymentProviders(deps);
  const prices = createTopupPrices({ db: pool, providers, spreadPercent: config.TOPUP_SPREAD_PERCENT });
  const limits = { minMinor: config.TOPUP_MIN_MINOR, maxMinor: config.TOPUP_MAX_MINOR };
  return {
    terms: { providers, prices, limits },
    services: {
      topupPrices: prices,
      savedMethods: createSavedMethods({ pool, providers }),
      autoTopups: createAutoTopups({ pool, providers, prices, limits, logger }),
      payments: createPayments({ pool, providers, prices, logger }),
    },
  };
}

import type { Config } from '../../config';
import { getMarketplace } from '../../contract/marketplace';
import { readProviderRoutes } from '../../domain/billing/payment';
import { REGISTRATION_FEE_UNITS, unitsToCredits } from '../../domain/ledger/money';
import { RATE_SPREAD_PERCENT } from '../../domain/payouts/exchange-rate';
import { type PayoutMethod, type Rail, RAILS } from '../../domain/payouts/rails';
import type { CurrencyTerms, TopupPrices } from '../../services/billing/topup-prices';
import type { PayoutAccounts } from '../../services/payouts/payout-accounts';
import { exchangeView } from '../views/billing';
import type { RouteBinder } from '../binding/route';

export interface MarketplaceRouteDeps {
  config: Config;
  payoutAccounts: Pick<PayoutAccounts, 'methods'>;
  topupPrices: TopupPrices;
}

/** GET /v1/marketplace. */
export function marketplaceRoutes(
  binder: RouteBinder,
  { config, payoutAccounts, topupPrices }: MarketplaceRouteDeps,
): void {
  const facts = {
    registration_fee_credits: unitsToCredits(REGISTRATION_FEE_UNITS),
    email_confirmation_required: config.EMAIL_CONFIRMATION === 'required',
    public_reads: config.PUBLIC_READS,
    demonstration: config.DEMONSTRATION,
    support_contact: config.SUPPORT_CONTACT || null,
  };
  const topUp = {
    sandbox: readProviderRoutes(config.PAYMENT_PROVIDER)?.[0]?.provider === 'sandbox',
    minimum_minor: config.TOPUP_MIN_MINOR,
    maximum_minor: config.TOPUP_MAX_MINOR,
  };
  binder.bind(getMarketplace, async () => ({
    ...facts,
    top_up: { ...topUp, currencies: (await topupPrices.offered()).map(currencyTerms) },
    payout_methods: payoutAccounts.methods.map(payoutTerms),
  }));
}

/** What a payer knows of a currency before choosing it. */
function currencyTerms({ currency, unitsPerMajor, exchange, savesMethods }: CurrencyTerms) {
  return {
    currency,
    credits_per_major: unitsToCredits(unitsPerMajor),
    exchange: exchange && exchangeView(exchange),
    saves_methods: savesMethods,
  };
}

/** What a seller knows of a method before choosing it. The marketplace takes nothing of a payout. */
function payoutTerms(method: PayoutMethod) {
  const { currency, minimumCredits, rate, processingTime }: Rail = RAILS[method];
  return {
    method,
    currency,
    minimum_credits: minimumCredits,
    fee_credits: 0,
    conversion_percent: rate === null ? 0 : RATE_SPREAD_PERCENT,
    processing_time: processingTime,
  };
}

import type { Config } from '../../config';
import { getMarketplace } from '../../contract/marketplace';
import { CURRENCIES, topupUnits } from '../../domain/billing/billing';
import { REGISTRATION_FEE_UNITS, unitsToCredits } from '../../domain/ledger/money';
import { RATE_SPREAD_PERCENT } from '../../domain/payouts/exchange-rate';
import { type PayoutMethod, type Rail, RAILS } from '../../domain/payouts/rails';
import type { PayoutAccounts } from '../../services/payouts/payout-accounts';
import type { RouteBinder } from '../binding/route';

export interface MarketplaceRouteDeps {
  config: Config;
  payoutAccounts: Pick<PayoutAccounts, 'methods'>;
}

/** Paise in a rupee, cents in a dollar. */
const MINOR_PER_MAJOR = 100;

/** GET /v1/marketplace. */
export function marketplaceRoutes(
  binder: RouteBinder,
  { config, payoutAccounts }: MarketplaceRouteDeps,
): void {
  const facts = {
    registration_fee_credits: unitsToCredits(REGISTRATION_FEE_UNITS),
    top_up: {
      sandbox: config.PAYMENT_PROVIDER === 'sandbox',
      minimum_minor: config.TOPUP_MIN_MINOR,
      maximum_minor: config.TOPUP_MAX_MINOR,
      currencies: CURRENCIES.map((currency) => ({
        currency,
        credits_per_major: unitsToCredits(topupUnits(MINOR_PER_MAJOR, currency)),
      })),
    },
    email_confirmation_required: config.EMAIL_CONFIRMATION === 'required',
    public_reads: config.PUBLIC_READS,
    demonstration: config.DEMONSTRATION,
    support_contact: config.SUPPORT_CONTACT || null,
  };
  binder.bind(getMarketplace, () =>
    Promise.resolve({ ...facts, payout_methods: payoutAccounts.methods.map(payoutTerms) }),
  );
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

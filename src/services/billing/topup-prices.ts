import { CURRENCIES, type Currency } from '../../domain/billing/billing';
import {
  amountFor,
  type PriceTerms,
  priceOf,
  type TopupPrice,
  type Unpriced,
} from '../../domain/billing/topup-price';
import { MarketError } from '../../domain/errors';
import type { Db } from '../../stores/db';
import { readSpotRate } from '../../stores/billing/topup-rates';
import type { PaymentProviders } from './providers/payment-providers';

/** A currency in which credits can be bought now. */
export interface CurrencyTerms {
  currency: Currency;
  /** Units for one rupee, dollar, euro or pound. */
  unitsPerMajor: number;
  exchange: TopupPrice['exchange'];
  savesMethods: boolean;
}

const MINOR_PER_MAJOR = 100;
/** Enough minor units that a rounded price shows the rate. */
const SAMPLE_MAJORS = 1_000;

/** The prices of top-ups by the newest exchange rates (ADR 0303). */
export function createTopupPrices(deps: { db: Db; providers: PaymentProviders; spreadPercent: number }) {
  const { db, providers, spreadPercent } = deps;

  async function terms(currency: Currency): Promise<PriceTerms> {
    const spot = currency === 'USD' ? undefined : await readSpotRate(db, currency);
    return { spot, spreadPercent, nowMs: Date.now() };
  }

  async function price(amountMinor: number, currency: Currency): Promise<TopupPrice | Unpriced> {
    return priceOf(amountMinor, currency, await terms(currency));
  }

  async function offered(): Promise<CurrencyTerms[]> {
    const all = await Promise.all(
      CURRENCIES.map(async (currency): Promise<CurrencyTerms[]> => {
        const provider = providers.of(currency);
        if (!provider) return [];
        const found = await price(SAMPLE_MAJORS * MINOR_PER_MAJOR, currency);
        if (typeof found === 'string') return [];
        const unitsPerMajor = Math.floor(found.units / SAMPLE_MAJORS);
        return [
          { currency, unitsPerMajor, exchange: found.exchange, savesMethods: provider.saved !== undefined },
        ];
      }),
    );
    return all.flat();
  }

  async function refusal(currency: Currency, why: Unpriced | 'no_provider'): Promise<MarketError> {
    const open = (await offered()).map((one) => one.currency).join(', ') || 'none';
    return new MarketError('unsupported_currency', {
      message: `${REASONS[why](currency)} Currencies that are taken now: ${open}.`,
    });
  }

  return {
    price,

    /** The price of a top-up. Throws `unsupported_currency` with the reason, if the currency is not taken now. */
    async priceOrThrow(amountMinor: number, currency: Currency): Promise<TopupPrice> {
      if (!providers.of(currency)) throw await refusal(currency, 'no_provider');
      const found = await price(amountMinor, currency);
      if (typeof found === 'string') throw await refusal(currency, found);
      return found;
    },

    /**
     * The smallest amount that buys at least so many units, in minor units; the reason if the currency has no price.
     */
    async amountFor(units: number, currency: Currency): Promise<number | Unpriced> {
      return amountFor(units, currency, await terms(currency));
    },

    /** The currencies that are taken now. */
    offered,
  };
}

export type TopupPrices = ReturnType<typeof createTopupPrices>;

const REASONS: Record<Unpriced | 'no_provider', (currency: Currency) => string> = {
  no_provider: (currency) => `This marketplace takes no payments in ${currency}.`,
  no_rate: (currency) => `There is no exchange rate of the last seven days for ${currency}.`,
  worth_less: (currency) =>
    `Top-ups in ${currency} are paused: at the exchange rate of today, the money is worth less than the credits.`,
};

/**
 * The table of payment providers, and which of them takes a currency (ADR 0302). Events of a provider are read as long
 * as its webhook secrets are set, also when new top-ups go elsewhere: a chargeback comes weeks after its payment.
 */
import { CURRENCIES, type Currency } from '../../../domain/billing/billing';
import {
  missingProviderSettings,
  providerOf,
  type ProviderName,
  type ProviderRoute,
  readProviderRoutes,
} from '../../../domain/billing/payment';
import type { PaymentProvider, ProviderDeps } from './payment-provider';
import { razorpayProvider } from './razorpay-provider';
import { stripeProvider } from './stripe-provider';

/** Moves no money: every top-up is paid immediately, and its invoice is marked `sandbox`. Its methods always pay. */
export const sandboxPayments: PaymentProvider = {
  name: 'sandbox',
  start: ({ topupId }) => Promise.resolve({ status: 'paid', reference: `sandbox/${topupId}` }),
  saved: {
    charge: ({ topupId }) => Promise.resolve({ status: 'paid', reference: `sandbox/${topupId}` }),
    facts: () => Promise.resolve({ label: 'Sandbox card', fingerprint: null }),
    end: () => Promise.resolve(),
    ofTopup: (topupId) => ({ customerRef: 'sandbox', methodRef: `sandbox_${topupId}` }),
  },
};

const ROWS: Record<ProviderName, (deps: ProviderDeps) => PaymentProvider> = {
  sandbox: () => sandboxPayments,
  razorpay: razorpayProvider,
  stripe: stripeProvider,
};

export interface PaymentProviders {
  /** The provider that takes new top-ups in a currency; undefined if none does. */
  of(currency: Currency): PaymentProvider | undefined;
  named(name: ProviderName): PaymentProvider;
  /** The currencies that some provider takes. */
  currencies: readonly Currency[];
}

/** The providers of the settings. Throws `Error` with the names of missing settings. */
export function createPaymentProviders(deps: ProviderDeps): PaymentProviders {
  const { config } = deps;
  const routes = readProviderRoutes(config.PAYMENT_PROVIDER) ?? [];
  const missing = missingProviderSettings(routes, config);
  if (missing.length > 0)
    throw new Error(`PAYMENT_PROVIDER=${config.PAYMENT_PROVIDER} needs ${missing.join(', ')}`);
  const rows = Object.fromEntries(Object.entries(ROWS).map(([name, create]) => [name, create(deps)]));
  return routedProviders(routes, rows);
}

/** The table for routes that are known. */
export function routedProviders(
  routes: readonly ProviderRoute[],
  rows: Partial<Record<ProviderName, PaymentProvider>>,
): PaymentProviders {
  const named = (name: ProviderName): PaymentProvider => {
    const row = rows[name];
    if (!row) throw new Error(`there is no payment provider ${name}`);
    return row;
  };
  return {
    of(currency) {
      const name = providerOf(routes, currency);
      return name && named(name);
    },
    named,
    currencies: CURRENCIES.filter((currency) => providerOf(routes, currency) !== undefined),
  };
}

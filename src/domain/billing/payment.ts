import { type Currency, isCurrency } from './billing';

/**
 * The providers of payments, in the order of docs/reference/settings.md. Each is a row of
 * `services/billing/providers/payment-providers`.
 */
export const PROVIDERS = ['sandbox', 'razorpay', 'stripe'] as const;
export type ProviderName = (typeof PROVIDERS)[number];
/** The providers that move money, and report it by events. */
export const REPORTING_PROVIDERS = ['razorpay', 'stripe'] as const satisfies readonly ProviderName[];
export type ReportingProvider = (typeof REPORTING_PROVIDERS)[number];

/** The settings without which a provider takes no new top-ups. */
export const PROVIDER_SETTINGS = {
  sandbox: [],
  razorpay: ['RAZORPAY_KEY_ID', 'RAZORPAY_KEY_SECRET', 'RAZORPAY_WEBHOOK_SECRETS'],
  stripe: ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRETS'],
} as const satisfies Record<ProviderName, readonly string[]>;

export type ProviderSetting = (typeof PROVIDER_SETTINGS)[ProviderName][number];

/** A provider that takes top-ups, and in which currencies. */
export interface ProviderRoute {
  provider: ProviderName;
  /** Null: every currency. */
  currencies: readonly Currency[] | null;
}

/**
 * Reads the setting PAYMENT_PROVIDER: `razorpay`, or a comma-separated list such as `razorpay:INR,stripe`, with the
 * currencies of a provider behind a colon and joined by `+`. Returns undefined for any other text, and for a provider
 * that stands there twice.
 */
export function readProviderRoutes(text: string): ProviderRoute[] | undefined {
  const routes = text.split(',').map((part) => routeOf(part.trim()));
  const names = new Set(routes.map((route) => route?.provider));
  return routes.every((route) => route !== undefined) && names.size === routes.length ? routes : undefined;
}

function routeOf(part: string): ProviderRoute | undefined {
  const [name = '', list, ...more] = part.split(':');
  const provider = PROVIDERS.find((known) => known === name);
  if (!provider || more.length > 0) return undefined;
  if (list === undefined) return { provider, currencies: null };
  const currencies = list.split('+');
  return currencies.every(isCurrency) ? { provider, currencies } : undefined;
}

/** The settings that providers of new top-ups lack, in the order of the providers. */
export function missingProviderSettings(
  routes: readonly ProviderRoute[],
  config: Readonly<Record<ProviderSetting, string | readonly string[]>>,
): ProviderSetting[] {
  const isMissing = (name: ProviderSetting) => String(config[name]).trim() === '';
  return routes.flatMap(({ provider }) => PROVIDER_SETTINGS[provider].filter(isMissing));
}

/** The first provider of the list that takes a currency; undefined if none does. */
export function providerOf(routes: readonly ProviderRoute[], currency: Currency): ProviderName | undefined {
  return routes.find(({ currencies }) => currencies?.includes(currency) ?? true)?.provider;
}

/** What an event of a provider says about a payment. */
export interface ReportedPayment {
  id: string;
  amountMinor: number;
  currency: string;
  reference: string | null;
}

/** A payment method that the payer has saved at the provider, by the provider's ids. */
export interface SavedReference {
  customerRef: string;
  methodRef: string;
}

/** A step of a refund or of a bank's dispute. */
export interface ReportedReversal {
  id: string;
  kind: ReversalKind;
  step: ReversalStep;
  paymentId: string;
  amountMinor: number;
  currency: string;
}

/**
 * A signed event of any provider, reduced to what the service acts on. `paid`: money has arrived, and the payer may
 * have saved the method. `link_over`: the payment page can no longer be paid. `declined`: a payment with a saved method
 * failed. `method_ended`: a saved method can no longer pay. `other` moves no money and is only recorded.
 */
export type PaymentEvent = { type: string } & (
  | { kind: 'paid'; payment: ReportedPayment; saved?: SavedReference }
  | { kind: 'link_over'; reference: string | null }
  | { kind: 'declined'; reference: string; reason: string }
  | { kind: 'reversal'; reversal: ReportedReversal }
  | { kind: 'method_ended'; methodRef: string }
  | { kind: 'other' }
);

/** The form of the references that this service gives to its payments: ids of top-ups. */
export const TOPUP_REFERENCE = /^top_[0-9a-f]{32}$/;

/** States of a payment that a payment provider reported. `quarantined` payments wait for an operator's decision. */
export const PAYMENT_STATES = ['credited', 'quarantined', 'resolved_credited', 'resolved_returned'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/** Why a payment was quarantined instead of credited. */
export const QUARANTINE_REASONS = [
  'amount_mismatch',
  'currency_mismatch',
  'unknown_topup',
  'topup_closed',
  'paid_twice',
] as const;
export type QuarantineReason = (typeof QUARANTINE_REASONS)[number];

/**
 * An operator's decision on a quarantined payment: credit it to an account, or record that it was refunded at the
 * provider.
 */
export const PAYMENT_DECISIONS = ['credit', 'return'] as const;
export type PaymentDecision = (typeof PAYMENT_DECISIONS)[number];

/** A refund, or a chargeback that a bank has raised, of a payment. */
export const REVERSAL_KINDS = ['refund', 'dispute'] as const;
export type ReversalKind = (typeof REVERSAL_KINDS)[number];

/**
 * States of a reversal. `open`: a dispute that is not decided. `waiting`: its payment has not been credited yet.
 * `taken`: the credits were taken back. `closed`: the dispute ended and cost nothing. `returned`: the dispute was won,
 * and what it had taken was given back.
 */
export const REVERSAL_STATES = ['open', 'waiting', 'taken', 'closed', 'returned'] as const;
export type ReversalState = (typeof REVERSAL_STATES)[number];

/** What an event does to a reversal. */
export type ReversalStep = 'open' | 'take' | 'close' | 'return';

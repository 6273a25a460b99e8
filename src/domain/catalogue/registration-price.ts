/**
 * The price of a registration: units for each call, US dollars for each call (`x402`), or metered like in a manifest
 * (contract, "Publishing and the agent's life"). Exactly one of them.
 */
import type { FieldProblem } from '../errors';
import {
  MANIFEST_DEFAULTS,
  MANIFEST_LIMITS,
  type Pricing,
  PRICING_MODELS,
  pricingProblems,
} from './manifest';
import { UNITS_PER_CREDIT } from '../ledger/money';
import { asRecord, isRecord } from '../json-value';

/** The models of `pricing`. The price of a call has fields of its own. */
export const METERED_PRICING_MODELS = PRICING_MODELS.filter((model) => model !== 'per_call');

export type MeteredPricing = Omit<Pricing, 'model' | 'credits_per_call' | 'free_tier_calls'> & {
  model: (typeof METERED_PRICING_MODELS)[number];
  free_tier_calls?: number;
};

/** The fields of a registration that make its price. */
export interface RegistrationPrice {
  access_config: { price_per_call_units?: number };
  x402?: { price_usd: number; pay_to: string };
  pricing?: MeteredPricing;
}

const MICROS_PER_USD = 1_000_000;
/** 1 credit is 1 US cent. */
const MICROS_PER_CREDIT = MICROS_PER_USD / 100;
const USD = /^(0|[1-9][0-9]{0,6})(?:\.([0-9]{1,6}))?$/;

export const REGISTRATION_PRICE_LIMITS = {
  priceUnits: MANIFEST_LIMITS.credits * UNITS_PER_CREDIT,
  priceUsdMin: 1 / MICROS_PER_USD,
  priceUsd: MANIFEST_LIMITS.credits / 100,
} as const;

/** Converts units to whole credits, rounded up: charges are always whole credits. */
export function creditsOfUnits(units: number): number {
  return Math.ceil(units / UNITS_PER_CREDIT);
}

/**
 * Converts US dollars to exact millionths. Returns undefined when the amount has more than 6 decimals or is
 * not greater than 0.
 */
export function microsOfUsd(usd: number): number | undefined {
  const [, whole, places = ''] = USD.exec(String(usd)) ?? [];
  if (whole === undefined) return undefined;
  const micros = Number(whole) * MICROS_PER_USD + Number(places.padEnd(6, '0'));
  return micros > 0 ? micros : undefined;
}

/**
 * Formats a price: 0.5 → `0.5`. The number has at most 6 decimals and is at least 1e-6, so `String` never
 * uses exponent notation.
 */
export function usdText(usd: number): string {
  return String(usd);
}

/**
 * The price of a call in whole credits; of a metered one, the most that it costs. Requires a validated registration.
 */
export function priceCreditsOf({ access_config: access, x402, pricing }: RegistrationPrice): number {
  if (pricing) return pricing.max_credits_per_call ?? Number.NaN;
  if (!x402) return creditsOfUnits(access.price_per_call_units ?? Number.NaN);
  return Math.ceil((microsOfUsd(x402.price_usd) ?? Number.NaN) / MICROS_PER_CREDIT);
}

/** The price as a manifest has it, always with its fields in one order. Requires a validated registration. */
export function pricingOf(registration: RegistrationPrice): Pricing {
  const { pricing } = registration;
  const { freeTierCalls } = MANIFEST_DEFAULTS;
  if (!pricing) {
    const credits = priceCreditsOf(registration);
    return { model: 'per_call', credits_per_call: credits, free_tier_calls: freeTierCalls };
  }
  const { model, credits_per_1k_tokens: tokens, credits_per_second: seconds } = pricing;
  return {
    model,
    ...(tokens !== undefined && { credits_per_1k_tokens: tokens }),
    ...(seconds !== undefined && { credits_per_second: seconds }),
    max_credits_per_call: priceCreditsOf(registration),
    free_tier_calls: pricing.free_tier_calls ?? freeTierCalls,
  };
}

/**
 * Checks the price rules across fields. The body may be invalid in any other way too; `loc` is relative to
 * the body.
 */
export function priceProblems(body: Record<string, unknown>): FieldProblem[] {
  const { x402, pricing } = body;
  const units = asRecord(body.access_config).price_per_call_units;
  const prices = [
    { loc: ['access_config', 'price_per_call_units'], isGiven: units !== undefined },
    { loc: ['x402'], isGiven: x402 !== undefined },
    { loc: ['pricing'], isGiven: pricing !== undefined },
  ];
  const [first, ...others] = prices.filter(({ isGiven }) => isGiven).map(({ loc }) => loc);
  if (!first) {
    const msg = 'is required unless x402 or pricing is given';
    return [{ loc: ['access_config', 'price_per_call_units'], msg, type: 'required' }];
  }
  if (others.length > 0) {
    const msg = `cannot be combined with ${first.at(-1) ?? ''}; give one of them`;
    return others.map((loc) => ({ loc, msg, type: 'not_allowed' }));
  }
  return [...meteredProblems(pricing), ...usdProblems(asRecord(x402).price_usd)];
}

function meteredProblems(pricing: unknown): FieldProblem[] {
  const isMetered = METERED_PRICING_MODELS.some((model) => model === asRecord(pricing).model);
  return isRecord(pricing) && isMetered ? pricingProblems(pricing) : [];
}

function usdProblems(usd: unknown): FieldProblem[] {
  const { priceUsdMin, priceUsd } = REGISTRATION_PRICE_LIMITS;
  const isInRange = typeof usd === 'number' && usd >= priceUsdMin && usd <= priceUsd;
  if (!isInRange || microsOfUsd(usd) !== undefined) return [];
  return [{ loc: ['x402', 'price_usd'], msg: 'must have at most 6 decimals', type: 'decimals' }];
}

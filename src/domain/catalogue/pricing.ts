/**
 * What a call costs (contract, "Invocation"; specification, "pricing"). Rates are decimal strings with at most three
 * places, so they are thousandths of a credit here and everything is integer arithmetic: a cost is rounded up to
 * whole credits once, and capped by the most that a call of the agent may cost.
 */
import type { Pricing, PricingModel } from './manifest';

export interface PriceTerms {
  model: PricingModel;
  /** Thousandths of a credit per call, per 1,000 tokens or per second. */
  rateMilli: number;
  /** The most that a call may cost, in credits; for `per_call` the price. */
  maxCredits: number;
}

/** What was measured of a call. */
export interface Metered {
  tokensIn: number;
  tokensOut: number;
  durationMs: number;
}

const MILLI = 1_000;

export function priceTerms(pricing: Pricing): PriceTerms {
  const { model } = pricing;
  if (model === 'per_call') {
    const credits = pricing.credits_per_call ?? 0;
    return { model, rateMilli: credits * MILLI, maxCredits: credits };
  }
  const rate = model === 'per_token' ? pricing.credits_per_1k_tokens : pricing.credits_per_second;
  return { model, rateMilli: milliOf(rate ?? '0'), maxCredits: pricing.max_credits_per_call ?? 0 };
}

/** Credits that the call costs: metered, rounded up, at most `maxCredits`. */
export function costOf(terms: PriceTerms, metered: Metered): number {
  if (terms.model === 'per_call') return terms.maxCredits;
  const amount = terms.model === 'per_token' ? metered.tokensIn + metered.tokensOut : metered.durationMs;
  return Math.min(Math.ceil((amount * terms.rateMilli) / (MILLI * MILLI)), terms.maxCredits);
}

/** What a call costs at least when it succeeds, as far as that is certain before it is made. */
export function leastCostOf(terms: PriceTerms, tokensIn: number): number {
  return costOf(terms, { tokensIn, tokensOut: 0, durationMs: 1 });
}

/** True when this cost is above the buyer's ceiling: the call then fails and is free. */
export function isAboveCeiling(costCredits: number, ceilingCredits: number | null): boolean {
  return ceilingCredits !== null && costCredits > ceilingCredits;
}

/**
 * How long a `per_second` call may run before its cost is certain to be above the ceiling, in milliseconds; null when
 * it never is.
 */
export function timeBudgetMs(terms: PriceTerms, ceilingCredits: number | null): number | null {
  if (terms.model !== 'per_second' || ceilingCredits === null || terms.maxCredits <= ceilingCredits)
    return null;
  return Math.floor((ceilingCredits * MILLI * MILLI) / terms.rateMilli);
}

function milliOf(decimal: string): number {
  const [whole = '0', places = ''] = decimal.split('.');
  return Number(whole) * MILLI + Number(places.padEnd(3, '0').slice(0, 3));
}

/**
 * Computes the cost of a call (contract, "Invocation"; specification, "pricing"). Rates are decimal strings
 * with at most three decimals, so they are held as thousandths of a credit and all arithmetic is on integers.
 * A cost is rounded up to whole credits once, and capped at the agent's maximum per call.
 */
import type { Pricing, PricingModel } from './manifest';

/** Pricing of a version, converted to integers. */
export interface PriceTerms {
  model: PricingModel;
  /** Thousandths of a credit per call, per 1,000 tokens or per second. */
  rateMilli: number;
  /** Maximum cost of a call in credits; for `per_call`, the price. */
  maxCredits: number;
}

/** Measured usage of a call. */
export interface Metered {
  tokensIn: number;
  tokensOut: number;
  durationMs: number;
}

const MILLI = 1_000;

/** For each metered model: its rate in a manifest, and the measured amount in thousandths of the rate's unit. */
const METERED_MODELS: Record<
  Exclude<PricingModel, 'per_call'>,
  { rateOf: (pricing: Pricing) => string | undefined; amountOf: (metered: Metered) => number }
> = {
  per_token: {
    rateOf: (pricing) => pricing.credits_per_1k_tokens,
    amountOf: ({ tokensIn, tokensOut }) => tokensIn + tokensOut,
  },
  per_second: {
    rateOf: (pricing) => pricing.credits_per_second,
    amountOf: ({ durationMs }) => durationMs,
  },
};

/** Converts the pricing of a manifest. */
export function priceTerms(pricing: Pricing): PriceTerms {
  const { model } = pricing;
  if (model === 'per_call') {
    const credits = pricing.credits_per_call ?? 0;
    return { model, rateMilli: credits * MILLI, maxCredits: credits };
  }
  const rate = METERED_MODELS[model].rateOf(pricing) ?? '0';
  return { model, rateMilli: milliOf(rate), maxCredits: pricing.max_credits_per_call ?? 0 };
}

/** The cost of a call in credits: metered, rounded up, at most `maxCredits`. */
export function costOf(terms: PriceTerms, metered: Metered): number {
  if (terms.model === 'per_call') return terms.maxCredits;
  const amount = METERED_MODELS[terms.model].amountOf(metered);
  return Math.min(Math.ceil((amount * terms.rateMilli) / (MILLI * MILLI)), terms.maxCredits);
}

/** The minimum cost of a successful call, in credits, as far as it is known before the call. */
export function leastCostOf(terms: PriceTerms, tokensIn: number): number {
  return costOf(terms, { tokensIn, tokensOut: 0, durationMs: 1 });
}

/** True when the cost exceeds the buyer's ceiling. The call then fails and is free. */
export function isAboveCeiling(costCredits: number, ceilingCredits: number | null): boolean {
  return ceilingCredits !== null && costCredits > ceilingCredits;
}

/**
 * How long a `per_second` call can run before its cost certainly exceeds the ceiling, in milliseconds. Null
 * when the cost can never exceed it.
 */
export function timeBudgetMs(terms: PriceTerms, ceilingCredits: number | null): number | null {
  if (terms.model !== 'per_second' || ceilingCredits === null || terms.maxCredits <= ceilingCredits)
    return null;
  return Math.floor((ceilingCredits * MILLI * MILLI) / terms.rateMilli);
}

/** What a number of calls of one size cost, worked out. */
export interface PriceExample {
  calls: number;
  /** Tokens of the input and the output of a call together; for `per_token`. */
  tokens?: number;
  /** Seconds that the agent takes for a call; for `per_second`. */
  seconds?: number;
  /** Credits of all the calls. */
  credits: number;
  /** The call has reached the most that one can cost. */
  isCapped: boolean;
}

const CALLS = [1, 100, 1_000];
const TOKENS = [1_000, 10_000, 100_000];
const SECONDS = [1, 10, 60];

/** What calls of usual sizes cost, without free calls. Sizes beyond the first one that costs the most are left out. */
export function priceExamples(terms: PriceTerms): PriceExample[] {
  const { model, maxCredits } = terms;
  if (model === 'per_call')
    return CALLS.map((calls) => ({ calls, credits: calls * maxCredits, isCapped: false }));
  const nothing = { tokensIn: 0, tokensOut: 0, durationMs: 0 };
  const one = (size: { tokens: number } | { seconds: number }, metered: Metered): PriceExample => {
    const credits = costOf(terms, metered);
    return { calls: 1, ...size, credits, isCapped: credits === maxCredits };
  };
  const all =
    model === 'per_token'
      ? TOKENS.map((tokens) => one({ tokens }, { ...nothing, tokensIn: tokens }))
      : SECONDS.map((seconds) => one({ seconds }, { ...nothing, durationMs: seconds * 1_000 }));
  const capped = all.findIndex(({ isCapped }) => isCapped);
  return capped === -1 ? all : all.slice(0, capped + 1);
}

function milliOf(decimal: string): number {
  const [whole = '0', places = ''] = decimal.split('.');
  return Number(whole) * MILLI + Number(places.padEnd(3, '0').slice(0, 3));
}

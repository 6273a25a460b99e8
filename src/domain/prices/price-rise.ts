/** When a price rises (ADR 0259): a version whose price could make any call dearer charges it after a notice only. */
import type { Pricing } from '../catalogue/manifest';
import { priceTerms } from '../catalogue/pricing';

/**
 * True if a call of some size could cost more by the price `after` than by `before`. Another pricing model can, unless
 * its most is not above what a call costs in any case: nothing, by a metered price. So can fewer free calls.
 */
export function costsMore(before: Pricing, after: Pricing): boolean {
  const [from, to] = [priceTerms(before), priceTerms(after)];
  if (after.free_tier_calls < before.free_tier_calls) return true;
  if (from.model === to.model) return to.rateMilli > from.rateMilli || to.maxCredits > from.maxCredits;
  const least = from.model === 'per_call' ? from.maxCredits : 0;
  return to.maxCredits > least;
}

/** True if each call costs the same by both. */
export function isSamePrice(one: Pricing, other: Pricing): boolean {
  const [a, b] = [priceTerms(one), priceTerms(other)];
  return (
    a.model === b.model &&
    a.rateMilli === b.rateMilli &&
    a.maxCredits === b.maxCredits &&
    one.free_tier_calls === other.free_tier_calls
  );
}

import type { ItemOf } from '../../client/queries';
import { formatCredits } from '../../ui/format';

export type Listing = ItemOf<'/v1/listings'>;
export type Pricing = Listing['pricing'];

/** "2 credits a call", "0.5 credits per 1,000 tokens, at most 20 a call". */
export function priceText(pricing: Pricing): string {
  const most =
    pricing.max_credits_per_call === undefined
      ? ''
      : `, at most ${formatCredits(pricing.max_credits_per_call)} a call`;
  if (pricing.model === 'per_token')
    return `${pricing.credits_per_1k_tokens} credits per 1,000 tokens${most}`;
  if (pricing.model === 'per_second') return `${pricing.credits_per_second} credits a second${most}`;
  return `${formatCredits(pricing.credits_per_call ?? 0)} ${pricing.credits_per_call === 1 ? 'credit' : 'credits'} a call`;
}

/** The most that one call can cost, in credits. */
export function ceilingOf(pricing: Pricing): number | undefined {
  return pricing.model === 'per_call' ? pricing.credits_per_call : pricing.max_credits_per_call;
}

import type { Answer } from '../../client/http';
import type { ItemOf } from '../../client/queries';
import { creditsText, formatCredits, formatRate, formatTime, formatWhole } from '../../ui/format';

export type Listing = ItemOf<'/v1/listings'>;
export type Pricing = Listing['pricing'];

/** "2 credits a call", "0.5 credits per 1,000 tokens, at most 20 a call". */
export function priceText(pricing: Pricing): string {
  const most =
    pricing.max_credits_per_call === undefined
      ? ''
      : `, at most ${formatCredits(pricing.max_credits_per_call)} a call`;
  if (pricing.model === 'per_token')
    return `${formatRate(pricing.credits_per_1k_tokens ?? 0)} credits per ${formatWhole(1_000)} tokens${most}`;
  if (pricing.model === 'per_second')
    return `${formatRate(pricing.credits_per_second ?? 0)} credits a second${most}`;
  return `${creditsText(pricing.credits_per_call ?? 0)} a call`;
}

type Priced = Pick<Listing, 'next_pricing' | 'price_effective_at'>;

/** "from 5 Nov 2026, 09:12: 3 credits a call" if a price is announced. */
export function nextPriceText({ next_pricing: next, price_effective_at: at }: Priced): string | undefined {
  return next && at ? `from ${formatTime(at)}: ${priceText(next)}` : undefined;
}

/** The most that one call can cost, in credits. */
export function ceilingOf(pricing: Pricing): number | undefined {
  return pricing.model === 'per_call' ? pricing.credits_per_call : pricing.max_credits_per_call;
}

type PriceExample = Answer<'/v1/listings/{agent_id}', 'get'>['price_examples'][number];

/** The calls of an example: "100 calls", "One call of 1,000 tokens", "One call of 60 seconds or more". */
export function sizeText({ calls, tokens, seconds, capped }: PriceExample): string {
  const count = calls === 1 ? 'One call' : `${formatWhole(calls)} calls`;
  const more = capped ? ' or more' : '';
  if (tokens !== undefined) return `${count} of ${formatWhole(tokens)} tokens${more}`;
  if (seconds === undefined) return count;
  return `${count} of ${formatWhole(seconds)} ${seconds === 1 ? 'second' : 'seconds'}${more}`;
}

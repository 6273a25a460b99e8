/** Prices in words, for pages, mails and models. */
import type { Pricing } from '../catalogue/manifest';

/** A price that is announced, and from when calls cost it. */
export interface NextPrice {
  pricing: Pricing;
  effectiveAt: Date;
}

/** What one unit of an agent costs, in credits as the manifest has them. */
export function unitPrice({ model, ...pricing }: Pricing): { credits: number; unit: string } {
  if (model === 'per_token')
    return { credits: Number(pricing.credits_per_1k_tokens ?? 0), unit: '1,000 tokens' };
  if (model === 'per_second') return { credits: Number(pricing.credits_per_second ?? 0), unit: 'second' };
  return { credits: pricing.credits_per_call ?? 0, unit: 'call' };
}

/** The price in words: `5 credits a call`. */
export function priceInWords(pricing: Pricing): string {
  const { credits, unit } = unitPrice(pricing);
  const most = pricing.max_credits_per_call;
  const atMost = most === undefined ? '' : `, at most ${most} credits a call`;
  const free = pricing.free_tier_calls > 0 ? `; ${pricing.free_tier_calls} free calls a month` : '';
  const per = unit === 'call' ? 'a call' : `per ${unit}`;
  return `${credits} ${credits === 1 ? 'credit' : 'credits'} ${per}${atMost}${free}`;
}

/** A time in words without a zone of the reader: `5 November 2026, 09:12 UTC`. */
export const timeInWords = (time: string | Date): string =>
  `${new Date(time).toLocaleString('en-GB', { timeZone: 'UTC', dateStyle: 'long', timeStyle: 'short' }).replace(' at ', ', ')} UTC`;

/** The sentence about a price that is announced: `From 5 November 2026, 09:12 UTC: 5 credits a call.` */
export const nextPriceInWords = ({ pricing, effectiveAt }: NextPrice): string =>
  `From ${timeInWords(effectiveAt)}: ${priceInWords(pricing)}.`;

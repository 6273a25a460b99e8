/** What a page says about an agent to crawlers: schema.org in JSON-LD (ADR 0350). */
import type { Pricing } from '../catalogue/manifest';
import { agentPage } from './market-address';

/** The facts about a listed agent that its public page shows. */
export interface PageFacts {
  agentId: string;
  displayName: string;
  description: string;
  version: string;
  category: string;
  tags: readonly string[];
  developerId: string;
  developerName: string;
  badge: string | null;
  trustScore: number | null;
  pricing: Pricing;
  homepage: string | null;
  iconUrl: string | null;
  isA2aInvocable: boolean;
  updatedAt: Date;
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

/** The agent as software with an offer in US dollars. Its address is that of its page. */
export function structuredData(origin: string, facts: PageFacts) {
  const { agentId, developerName, homepage, iconUrl, pricing } = facts;
  const url = agentPage(origin, agentId);
  const { credits, unit } = unitPrice(pricing);
  const price = dollars(credits);
  const most = pricing.max_credits_per_call;
  return {
    '@context': 'https://schema.org',
    '@type': 'SoftwareApplication',
    '@id': url,
    name: facts.displayName,
    description: facts.description,
    url,
    ...(homepage !== null && { sameAs: homepage }),
    ...(iconUrl !== null && { image: iconUrl }),
    applicationCategory: facts.category,
    operatingSystem: 'Any',
    softwareVersion: facts.version,
    keywords: facts.tags.join(', '),
    dateModified: facts.updatedAt.toISOString(),
    author: { '@type': 'Organization', name: developerName },
    offers: {
      '@type': 'Offer',
      url,
      price,
      priceCurrency: 'USD',
      availability: 'https://schema.org/InStock',
      priceSpecification: {
        '@type': 'UnitPriceSpecification',
        price,
        priceCurrency: 'USD',
        unitText: unit,
        ...(most !== undefined && { maxPrice: dollars(most) }),
      },
    },
  };
}

const CREDITS_PER_DOLLAR = 100;

/** US dollars as decimal text. Rates have thousandths of a credit, which are 0.00001 dollars. */
const dollars = (credits: number) =>
  (credits / CREDITS_PER_DOLLAR).toFixed(5).replace(/(\.\d\d\d*?)0+$/, '$1');

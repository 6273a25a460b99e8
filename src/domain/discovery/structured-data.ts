/** What a page says about an agent to crawlers: schema.org in JSON-LD (ADR 0350). */
import type { Pricing } from '../catalogue/manifest';
import { type NextPrice, unitPrice } from '../prices/price-words';
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
  nextPrice: NextPrice | null;
  homepage: string | null;
  iconUrl: string | null;
  isA2aInvocable: boolean;
  updatedAt: Date;
}

/** The agent as software with an offer in US dollars. Its address is that of its page. */
export function structuredData(origin: string, facts: PageFacts) {
  const { agentId, developerName, homepage, iconUrl, pricing, nextPrice } = facts;
  const url = agentPage(origin, agentId);
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
    offers: nextPrice
      ? [
          { ...offerOf(url, pricing), priceValidUntil: nextPrice.effectiveAt.toISOString() },
          { ...offerOf(url, nextPrice.pricing), validFrom: nextPrice.effectiveAt.toISOString() },
        ]
      : offerOf(url, pricing),
  };
}

function offerOf(url: string, pricing: Pricing) {
  const { credits, unit } = unitPrice(pricing);
  const price = dollars(credits);
  const most = pricing.max_credits_per_call;
  return {
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
  };
}

const CREDITS_PER_DOLLAR = 100;

/** US dollars as decimal text. Rates have thousandths of a credit, which are 0.00001 dollars. */
const dollars = (credits: number) =>
  (credits / CREDITS_PER_DOLLAR).toFixed(5).replace(/(\.\d\d\d*?)0+$/, '$1');

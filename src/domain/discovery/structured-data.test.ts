import type { Pricing } from '../catalogue/manifest';
import { vocabularyProblems } from '../../../test/support/discovery/schema-org';
import { priceInWords } from '../prices/price-words';
import { structuredData, type PageFacts } from './structured-data';

const pricing = (model: Pricing['model'], more: Partial<Pricing>): Pricing => ({
  model,
  free_tier_calls: 0,
  ...more,
});

const FACTS: PageFacts = {
  agentId: 'agt_x_v1',
  displayName: 'X',
  description: 'Does x.',
  version: '1.2.0',
  category: 'other',
  tags: ['a', 'b'],
  developerId: 'dev_x',
  developerName: 'Ada',
  badge: null,
  trustScore: null,
  pricing: pricing('per_call', { credits_per_call: 5 }),
  nextPrice: null,
  homepage: null,
  iconUrl: null,
  isA2aInvocable: true,
  updatedAt: new Date(0),
};

it.each([
  [pricing('per_call', { credits_per_call: 1 }), '1 credit a call', '0.01', 'call', undefined],
  [pricing('per_call', { credits_per_call: 100_000 }), '100000 credits a call', '1000.00', 'call', undefined],
  [
    pricing('per_token', { credits_per_1k_tokens: '0.005', max_credits_per_call: 20, free_tier_calls: 3 }),
    '0.005 credits per 1,000 tokens, at most 20 credits a call; 3 free calls a month',
    '0.00005',
    '1,000 tokens',
    '0.20',
  ],
  [
    pricing('per_second', { credits_per_second: '1.5', max_credits_per_call: 90 }),
    '1.5 credits per second, at most 90 credits a call',
    '0.015',
    'second',
    '0.90',
  ],
])('offers what an agent costs: %#', (terms, words, price, unitText, maxPrice) => {
  expect(priceInWords(terms)).toBe(words);
  const { offers } = structuredData('https://market.example.com', { ...FACTS, pricing: terms });
  expect(offers).toMatchObject({
    price,
    priceCurrency: 'USD',
    url: 'https://market.example.com/console/agents/agt_x_v1',
    priceSpecification: { price, unitText, ...(maxPrice !== undefined && { maxPrice }) },
  });
});

it('uses types, properties and values of the vocabulary alone', () => {
  const whole: PageFacts = {
    ...FACTS,
    homepage: 'https://a.example',
    iconUrl: 'https://a.example/icon.png',
    pricing: pricing('per_second', { credits_per_second: '1.5', max_credits_per_call: 90 }),
  };
  const data = structuredData('https://market.example', whole);
  expect(vocabularyProblems(data)).toEqual([]);
  const { offers, ...software } = data;
  expect(vocabularyProblems({ ...software, offers: { ...offers, '@type': 'Ofer' } })).toHaveLength(2);
  expect(
    vocabularyProblems({ ...software, offers: { ...offers, availability: 'https://schema.org/Now' } }),
  ).toHaveLength(1);
  expect(vocabularyProblems({ ...software, pricing: 'x', author: { '@type': 'Offer' } })).toHaveLength(2);
});

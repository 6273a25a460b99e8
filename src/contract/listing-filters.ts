/** The filters and orders of a search over listings. */
import { MAX_COST_CREDITS } from '../domain/calls/cost-ceiling';
import { Type } from '@sinclair/typebox';
import { MANIFEST_LIMITS } from '../domain/catalogue/manifest';
import { named, text } from './common';
import { DeveloperId } from './developers';
import { Category, DataHandling, PricingModel } from './manifest';

const Badge = named(
  'Badge',
  Type.Union([Type.Literal('basic'), Type.Literal('standard'), Type.Literal('premium')]),
);
export const Protocol = named(
  'Protocol',
  Type.Union([Type.Literal('http'), Type.Literal('mcp'), Type.Literal('a2a')]),
);
const ListingSort = named(
  'ListingSort',
  Type.Union([
    Type.Literal('relevance'),
    Type.Literal('trust_score'),
    Type.Literal('price_asc'),
    Type.Literal('price_desc'),
    Type.Literal('newest'),
    Type.Literal('popular'),
    Type.Literal('success_rate'),
    Type.Literal('latency'),
  ]),
);

const MAX_TAGS = 10;
const tagFilter = text({ minLength: 1, maxLength: 32 });

export const listingFilters = {
  q: Type.Optional(
    text({ minLength: 1, maxLength: 1_000, description: 'Words or a sentence, "a phrase", -excluded, or' }),
  ),
  category: Type.Optional(Category),
  tag: Type.Optional(
    Type.Array(tagFilter, { maxItems: MAX_TAGS, description: 'Repeatable; all tags must match' }),
  ),
  badge: Type.Optional(Badge),
  min_trust_score: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  max_price: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: MAX_COST_CREDITS,
      description: 'Maximum price of a call, in credits',
    }),
  ),
  pricing_model: Type.Optional(PricingModel),
  protocol: Type.Optional(Protocol),
  min_success_rate: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'Lowest share of paid calls that succeeded; agents with fewer than ten buyers are left out',
    }),
  ),
  max_p50_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description:
        'Highest median duration of successes in milliseconds; agents with fewer than ten buyers are left out',
    }),
  ),
  streaming: Type.Optional(Type.Boolean({ description: 'Whether the agent streams its answer' })),
  jobs: Type.Optional(Type.Boolean({ description: 'Whether the agent takes jobs' })),
  chat: Type.Optional(
    Type.Boolean({ description: 'Whether the agent chats: its input schema has `messages`' }),
  ),
  residency: Type.Optional(DataHandling.properties.residency),
  max_retention_days: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MANIFEST_LIMITS.retentionDays,
      description: 'How many days the agent may keep data; 0 for agents that keep none',
    }),
  ),
  developer_id: Type.Optional(DeveloperId),
  sort: Type.Optional(ListingSort),
};

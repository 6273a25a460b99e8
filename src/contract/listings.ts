import { Type } from '@sinclair/typebox';
import { AgentId, named, Nullable, page, pageQuery, Slug, strictObject, Timestamp } from './common';
import { Capabilities, DataHandling, JobCapability, Pricing } from './manifest';
import { getDeveloper } from './developers';
import { JobDurations } from './job-durations';
import { listingFilters, Protocol } from './listing-filters';
import { defineOperation } from './operation';
import { AgentVisibility } from './visibility';
import { ListingWarranty, WarrantyMonths } from './warranties';

const auth = { scope: 'agents:read', publicReads: true } as const;
const tag = 'Listings';

const listingFields = {
  agent_id: AgentId,
  slug: Type.String(),
  display_name: Type.String(),
  description: Type.String(),
  category: Type.String(),
  tags: Type.Array(Type.String()),
  developer: named(
    'ListingDeveloper',
    strictObject({ developer_id: Type.String(), display_name: Type.String() }),
  ),
  version: Type.String(),
  pricing: Pricing,
  next_pricing: Nullable(Pricing),
  price_effective_at: Nullable(
    Type.String({
      format: 'date-time',
      description:
        'From when calls cost `next_pricing`; until then they cost `pricing`. Null if no price is announced',
    }),
  ),
  protocol: Protocol,
  capabilities: named(
    'ListingCapabilities',
    strictObject({ ...Capabilities.properties, jobs: Nullable(JobCapability) }),
  ),
  data_handling: DataHandling,
  badge: Nullable(Type.String()),
  trust_score: Nullable(Type.Integer({ minimum: 0, maximum: 100 })),
  warranty: Nullable(ListingWarranty),
  homepage: Nullable(Type.String()),
  icon_url: Nullable(Type.String()),
  vertical: Nullable(Type.String({ description: 'Label chosen by the developer of a self-hosted agent' })),
  stats: named(
    'ListingStats',
    strictObject({
      invocations_30d: Type.Integer({
        minimum: 0,
        description:
          'Paid calls of buyers who are not related to the developer in the last 30 UTC days, today included. Failed calls are ' +
          'refunded, so those of one buyer in a day count as one. Free calls do not count, and neither do calls whose input the ' +
          'agent refused (4xx).',
      }),
      buyers_30d: Type.Integer({
        minimum: 0,
        maximum: 1_000,
        description:
          'Buyers of these calls, at most 1,000. Accounts that are related to each other are one buyer, and so are paying addresses that are younger than 30 days.',
      }),
      few_calls: Type.Boolean({
        description:
          'True below ten buyers: then `success_rate` and all durations are null, because a few accounts prove nothing.',
      }),
      success_rate: Nullable(
        Type.Number({
          minimum: 0,
          maximum: 1,
          description:
            'Share of these calls that succeeded, among those that succeeded or failed by a fault of the agent. Each buyer ' +
            'of a day has the same weight. Null below ten buyers (`few_calls`).',
        }),
      ),
      p50_ms: Nullable(
        Type.Integer({
          minimum: 0,
          description:
            'Median duration in milliseconds of the first success of each buyer in a day that was no job; null below ten buyers',
        }),
      ),
      p95_ms: Nullable(Type.Integer({ minimum: 0, description: 'The 95th percentile of the same' })),
      jobs: JobDurations,
    }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
};

const anyObject = Type.Object({}, { additionalProperties: true });

export const Listing = named(
  'Listing',
  strictObject({
    ...listingFields,
    match: Type.Optional(
      named(
        'ListingMatch',
        strictObject(
          {
            missing: Type.Array(Type.String(), { description: 'Words of `q` that the agent does not have' }),
          },
          {
            description: 'Of an agent that was found by some of the words of `q`; absent if it has them all',
          },
        ),
      ),
    ),
  }),
);
const ListingPage = named(
  'ListingPage',
  strictObject({
    ...page(Listing).properties,
    near: Type.Optional(
      Type.Literal(true, { description: 'Nothing has the words of `q`; these agents have similar words' }),
    ),
    left_out: Type.Optional(
      named(
        'ListingLeftOut',
        strictObject(
          {
            words: Type.Array(Type.String()),
            filters: Type.Array(Type.String()),
            alone: Type.Array(Type.String(), {
              description:
                'The parameters of which leaving out one alone finds agents. `nearest` is found without the first',
            }),
          },
          {
            description: 'Nothing was found; `nearest` was, without these words of `q` and these parameters',
          },
        ),
      ),
    ),
    nearest: Type.Optional(
      Type.Array(Listing, { description: 'Up to three agents for a search that finds nothing' }),
    ),
  }),
);
const PriceExample = named(
  'PriceExample',
  strictObject({
    calls: Type.Integer(),
    tokens: Type.Optional(Type.Integer({ description: 'Of input and output of a call' })),
    seconds: Type.Optional(Type.Integer({ description: 'Of a call' })),
    credits: Type.Integer({ description: 'Of all calls' }),
    usd: Type.Number({ description: 'The same in US dollars' }),
    capped: Type.Boolean({ description: 'Larger calls cost no more' }),
  }),
);

export const ListingDetail = named(
  'ListingDetail',
  strictObject({
    ...listingFields,
    max_cost_usd: Type.Number({ minimum: 0, description: 'Maximum price of a call, in US dollars' }),
    price_examples: Type.Array(PriceExample, { description: 'What calls of usual sizes cost' }),
    visibility: AgentVisibility,
    input_schema: Nullable(anyObject),
    output_schema: Nullable(anyObject),
    examples: Type.Array(Type.Unknown(), {
      description: "Example inputs: those of the manifest's `examples`, then those of its `input_schema`",
    }),
    examined: Nullable(
      Type.String({
        description: 'What the newest verification examined of the behaviour, beside the badge',
        examples: ['24 answers checked, 24 right'],
      }),
    ),
    contradicted_declarations: Type.Array(
      Type.String({ examples: ['capabilities.idempotent', 'data_handling.pii_processed'] }),
      { description: 'The declarations above that the newest trust report contradicts' },
    ),
    warranty_months: WarrantyMonths,
    versions: Type.Array(
      strictObject({
        version: Type.String(),
        status: Type.String(),
        live_at: Timestamp,
        changelog: Type.Optional(Type.String()),
      }),
    ),
  }),
);

export const listListings = defineOperation({
  id: 'listListings',
  method: 'get',
  path: '/v1/listings',
  tag,
  summary: 'Search the marketplace',
  description:
    'Search over display name, description, tags, tools, descriptions of properties, id and developer, with filters. `q` is ' +
    'words or a sentence in any language. Agents that have all words come first; if they are few, those follow that miss ' +
    'some (`match`). When nothing has up to three words of `q`, agents with words that differ in one character are found ' +
    '(`near`). The default order is `relevance`: how well ' +
    'the texts answer `q`, the trust score, and the share of calls that succeeded, which counts the more calls there ' +
    'are. `success_rate` counts in the same way how many calls there are, and like `latency` has agents with fewer than ten buyers last. A cursor is valid only with the query parameters with which it was created.',
  auth,
  query: strictObject({ ...listingFilters, ...pageQuery }),
  responses: { 200: ListingPage },
});

export const getListing = defineOperation({
  id: 'getListing',
  method: 'get',
  path: '/v1/listings/{agent_id}',
  tag,
  summary: 'Get a listed agent',
  auth,
  params: strictObject({ agent_id: AgentId }),
  responses: { 200: ListingDetail },
  errors: ['not_found', 'invalid_state'],
});

export const previewAgent = defineOperation({
  id: 'previewAgent',
  method: 'get',
  path: '/v1/developer/agents/{agent_id}/preview',
  tag,
  summary: 'Get one of your agents as buyers will see it',
  description: 'Of the serving version, else of the newest one, also while search does not list the agent.',
  auth: { scope: 'agents:publish' },
  roles: ['developer'],
  params: strictObject({ agent_id: AgentId }),
  responses: { 200: ListingDetail },
  errors: ['not_found'],
});

export const getListingBySlug = defineOperation({
  id: 'getListingBySlug',
  method: 'get',
  path: '/v1/listings/slug/{slug}',
  tag,
  summary: 'Get the highest live major version of an agent by its slug',
  auth,
  params: strictObject({ slug: Slug }),
  responses: { 200: ListingDetail },
  errors: ['not_found', 'invalid_state'],
});

export const getListingFigures = defineOperation({
  id: 'getListingFigures',
  method: 'get',
  path: '/v1/agents/{agent_id}/figures',
  tag,
  summary: 'Get the calls, success rate and latency of a listed agent by day',
  description:
    'The last 30 UTC days, today included, of paid calls of buyers who are not related to the developer. All figures ' +
    'are counted as in `stats` of a listing.',
  auth,
  params: strictObject({ agent_id: AgentId }),
  responses: {
    200: strictObject({
      agent_id: AgentId,
      days: Type.Array(
        strictObject({
          date: Type.String(),
          calls: Type.Integer({ minimum: 0 }),
          success_rate: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
          p50_ms: Nullable(Type.Integer({ minimum: 0 })),
          p95_ms: Nullable(Type.Integer({ minimum: 0 })),
          jobs: JobDurations,
        }),
      ),
    }),
  },
  errors: ['not_found', 'invalid_state'],
});

export const listingOperations = [
  listListings,
  getListing,
  previewAgent,
  getListingBySlug,
  getListingFigures,
  getDeveloper,
] as const;

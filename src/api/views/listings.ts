import { unitsToUsd } from '../../domain/billing/billing';
import { priceUnitsOf } from '../../domain/catalogue/manifest';
import { priceExamples, priceTerms } from '../../domain/catalogue/pricing';
import { LEAST_BUYERS } from '../../domain/catalogue/usage';
import { UNITS_PER_CREDIT } from '../../domain/ledger/money';
import type { Favourite } from '../../services/catalogue/search/favourites';
import type {
  Listing,
  ListingDetail,
  ListingFigures,
  Listings,
  NearestListings,
} from '../../services/catalogue/listings';
import { jobDurationsView } from './usage';

/** What a position in a list of agents looks like. */
export const LISTING_POSITION = [/^-?[0-9]{1,18}$/, /^agt_[a-z0-9_]{1,90}$/];

/** What buyers see of an agent. It never contains an endpoint. */
export function listingView(row: Listing) {
  const { pricing, capabilities, data_handling, homepage, icon_url, vertical } = row.publicPart;
  return {
    agent_id: row.agentId,
    slug: row.slug,
    display_name: row.displayName,
    description: row.description,
    category: row.category,
    tags: row.tags,
    developer: { developer_id: row.developerId, display_name: row.developerName },
    version: row.version,
    pricing,
    ...nextPriceView(row.nextPrice),
    protocol: protocolOf(row.kind),
    capabilities: { ...capabilities, jobs: capabilities.jobs ?? null },
    data_handling,
    badge: row.badge,
    trust_score: row.trustScore,
    warranty: row.warranty,
    homepage,
    icon_url,
    vertical: vertical ?? null, // versions stored before there were verticals have none
    stats: {
      invocations_30d: row.invocations30d,
      buyers_30d: row.buyers30d,
      few_calls: row.buyers30d < LEAST_BUYERS,
      success_rate: row.successRate,
      p50_ms: row.p50Ms,
      p95_ms: row.p95Ms,
      jobs: jobDurationsView(row.jobs),
    },
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** An agent that an account has marked. */
export function favouriteView({ agentId, addedAt, listing }: Favourite) {
  return { agent_id: agentId, added_at: addedAt.toISOString(), listing: listing && listingView(listing) };
}

/** An announced price, and from when calls cost it; null for none. */
const nextPriceView = (next: Listing['nextPrice']) => ({
  next_pricing: next?.pricing ?? null,
  price_effective_at: next?.effectiveAt.toISOString() ?? null,
});

/** An agent with a manifest is called by HTTP. */
const protocolOf = (kind: Listing['kind']) => (kind === 'manifest' ? ('http' as const) : kind);

/** A listing of a search, with the words that it misses if it was found by some of them. */
export function foundListingView(row: Listing) {
  const { missing } = row;
  return { ...listingView(row), ...(missing && { match: { missing } }) };
}

/** The query parameters by the names of filters. */
const PARAMETERS = {
  category: 'category',
  tags: 'tag',
  badge: 'badge',
  minTrustScore: 'min_trust_score',
  maxPriceUnits: 'max_price',
  pricingModel: 'pricing_model',
  protocol: 'protocol',
  minSuccessRate: 'min_success_rate',
  maxP50Ms: 'max_p50_ms',
  streaming: 'streaming',
  jobs: 'jobs',
  chat: 'chat',
  residency: 'residency',
  maxRetentionDays: 'max_retention_days',
  developerId: 'developer_id',
} as const satisfies Record<NearestListings['leftOut']['filters'][number], string>;

/** Agents for a search that finds nothing. */
export function nearestView({ rows, leftOut: { words, filters, alone } }: NearestListings) {
  return {
    left_out: {
      words,
      filters: filters.map((filter) => PARAMETERS[filter]),
      alone: alone.map((filter) => PARAMETERS[filter]),
    },
    nearest: rows.map(foundListingView),
  };
}

export function listingDetailView(listing: ListingDetail) {
  const { inputSchema, outputSchema, examples, versions, publicPart, contradicted, examined } = listing;
  const { pricing } = publicPart;
  return {
    ...listingView(listing),
    max_cost_usd: unitsToUsd(priceUnitsOf(pricing)),
    price_examples: priceExamples(priceTerms(pricing)).map(({ isCapped, ...example }) => ({
      ...example,
      usd: unitsToUsd(example.credits * UNITS_PER_CREDIT),
      capped: isCapped,
    })),
    visibility: listing.visibility,
    input_schema: inputSchema,
    output_schema: outputSchema,
    examples,
    contradicted_declarations: contradicted,
    examined,
    warranty_months: listing.warrantyMonths.map(({ month, outcome, terms, figures, slashStatus }) => ({
      ...{ month, outcome, warranty: terms, figures },
      remedy: slashStatus,
    })),
    versions: versions.map(({ version, status, liveAt, changelog }) => ({
      version,
      status,
      live_at: liveAt.toISOString(),
      ...(changelog !== null && { changelog }),
    })),
  };
}

/** An agent as a model of OpenAI's API. */
export function modelView({ publicPart: { pricing }, ...row }: Listing) {
  return {
    id: row.agentId,
    object: 'model' as const,
    created: Math.floor(row.createdAt.getTime() / 1_000),
    owned_by: row.developerId,
    market: {
      display_name: row.displayName,
      slug: row.slug,
      pricing,
      trust_score: row.trustScore,
      badge: row.badge,
    },
  };
}

/** The public figures of an agent, by day. Free calls and calls in progress are not among them. */
export function listingFiguresView(agentId: string, days: readonly ListingFigures[]) {
  return {
    agent_id: agentId,
    days: days.map((day) => ({
      date: day.date,
      calls: day.calls,
      success_rate: day.successRate,
      p50_ms: day.p50Ms,
      p95_ms: day.p95Ms,
      jobs: jobDurationsView(day.jobs),
    })),
  };
}

/** A developer as everyone may see them. */
export function developerView(developer: Awaited<ReturnType<Listings['developer']>>) {
  return {
    developer_id: developer.developerId,
    display_name: developer.displayName,
    since: developer.since.toISOString(),
    listed_agents: developer.agents,
    disputes: developer.disputes,
  };
}

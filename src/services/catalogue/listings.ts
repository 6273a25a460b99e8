import { MarketError } from '../../domain/errors';
import { UNITS_PER_CREDIT } from '../../domain/ledger/money';
import { decodeCursor, encodeCursor } from '../../kit/ids/cursor';
import { refreshOldestStats } from '../../stores/catalogue/agent-stats';
import type { DbPool } from '../../stores/db';
import {
  type ListingFilter,
  type ListingRow,
  type ListingSort,
  readListing,
  readListingBySlug,
  readListingDetail,
  searchListings,
} from '../../stores/catalogue/listings';
import { refusalOfHidden } from './hidden-agents';

export interface ListingSearch extends Omit<ListingFilter, 'maxPriceUnits'> {
  maxPriceCredits?: number | undefined;
  sort?: ListingSort | undefined;
  limit: number;
  cursor?: string | undefined;
}

const POSITION = [/^-?[0-9]{1,18}$/, /^agt_[a-z0-9_]{1,90}$/];
/** How old the figures of an agent may be, and how many agents one statement refreshes. */
const STATS = { staleMs: 30_000, batch: 200 };

/** What buyers see of agents (contract, "Listings"). Never an endpoint. */
export function createListings(deps: { pool: DbPool }) {
  const { pool } = deps;

  async function detail(row: ListingRow) {
    const { manifest, versions } = await readListingDetail(pool, row);
    const inputSchema = (manifest.input_schema ?? null) as Record<string, unknown> | null;
    return {
      ...toRecord(row),
      input_schema: inputSchema,
      output_schema: (manifest.output_schema ?? null) as Record<string, unknown> | null,
      examples: Array.isArray(inputSchema?.examples) ? (inputSchema.examples as unknown[]) : [],
      versions: versions.map(({ version, status, liveAt }) => ({
        version,
        status,
        live_at: liveAt.toISOString(),
      })),
    };
  }

  return {
    /** A page; the cursor is bound to its query: with other parameters it is 422. */
    async search(search: ListingSearch) {
      const { sort = 'relevance', limit, cursor, maxPriceCredits, ...rest } = search;
      const maxPriceUnits =
        maxPriceCredits === undefined ? undefined : Math.floor(maxPriceCredits * UNITS_PER_CREDIT);
      const filter: ListingFilter = { ...rest, maxPriceUnits };
      const scope = `listings/${JSON.stringify([sort, filter.q, filter.category, filter.tags, filter.badge,
        filter.minTrustScore, maxPriceUnits, filter.pricingModel, filter.protocol])}`; // prettier-ignore
      const after = cursor === undefined ? undefined : readPosition(scope, cursor);
      const { rows, total } = await searchListings(pool, filter, { sort, limit: limit + 1, after });
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      const more = rows.length > limit && last;
      return {
        items: shown.map(toRecord),
        next_cursor: more ? encodeCursor(scope, [last.sortKey, last.agentId]) : null,
        total,
      };
    },

    /** 404; 409 `invalid_state` to the owner of an agent that is suspended or retired. */
    async get(agentId: string, callerUserId: string | undefined) {
      const row = await readListing(pool, agentId);
      if (!row) throw await refusalOfHidden(pool, { agentId }, callerUserId);
      return detail(row);
    },

    /** The highest live major; throws the same. */
    async getBySlug(slug: string, callerUserId: string | undefined) {
      const row = await readListingBySlug(pool, slug);
      if (!row) throw await refusalOfHidden(pool, { slug }, callerUserId);
      return detail(row);
    },

    /** Brings the figures of agents up to date; called by a loop in the worker. Answers how many were refreshed. */
    async refreshStats(): Promise<number> {
      let refreshed = 0;
      for (;;) {
        const batch = await refreshOldestStats(pool, { staleMs: STATS.staleMs, limit: STATS.batch });
        refreshed += batch;
        if (batch < STATS.batch) return refreshed;
      }
    },
  };
}

export type Listings = ReturnType<typeof createListings>;

function readPosition(scope: string, cursor: string): string[] {
  const position = decodeCursor(scope, cursor, POSITION);
  if (position) return position;
  const detail = [{ loc: ['query', 'cursor'], msg: 'is not a cursor of this query', type: 'cursor' }];
  throw new MarketError('validation_failed', { detail });
}

function toRecord(row: ListingRow) {
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
    protocol: row.kind === 'mcp' ? ('mcp' as const) : ('http' as const),
    capabilities,
    data_handling,
    badge: row.badge,
    trust_score: row.trustScore,
    homepage,
    icon_url,
    vertical: vertical ?? null, // versions stored before there were verticals have none
    stats: { invocations_30d: row.invocations30d, success_rate: row.successRate, p50_ms: row.p50Ms },
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

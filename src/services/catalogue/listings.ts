import type { Db, DbPool } from '../../stores/db';
import {
  type ListingFilter,
  type ListingRow,
  type ListingSort,
  readListing,
  readListingBySlug,
  readListingDetail,
  searchListings,
  type ServedVersion,
} from '../../stores/catalogue/listings';
import { refusalOfHidden } from './hidden-agents';

export type Listing = ListingRow;

/** A listing with what a caller needs to call the agent. */
export interface ListingDetail extends Listing {
  inputSchema: Record<string, unknown> | null;
  outputSchema: Record<string, unknown> | null;
  /** The versions that have ever served, newest first. */
  versions: ServedVersion[];
}

export interface ListingSearch extends ListingFilter {
  sort: ListingSort;
}

/** Listings of agents for buyers (contract, "Listings"). They never contain an endpoint. */
export function createListings(deps: { pool: DbPool; reads?: Db }) {
  const { pool, reads = pool } = deps;

  async function detail(row: Listing): Promise<ListingDetail> {
    const { manifest, versions } = await readListingDetail(pool, row);
    return {
      ...row,
      inputSchema: (manifest.input_schema ?? null) as Record<string, unknown> | null,
      outputSchema: (manifest.output_schema ?? null) as Record<string, unknown> | null,
      versions,
    };
  }

  return {
    /** A page of agents. A position is the sort key and the id of an agent. */
    search({ sort, ...filter }: ListingSearch, page: { limit: number; after: readonly string[] }) {
      const after = page.after.length > 0 ? page.after : undefined;
      return searchListings(reads, filter, { sort, limit: page.limit, after });
    },

    /** Throws `not_found`; to the owner of an agent that is suspended or retired, `invalid_state`. */
    async get(agentId: string, callerUserId: string | undefined) {
      const row = await readListing(pool, agentId);
      if (!row) throw await refusalOfHidden(pool, { agentId }, callerUserId);
      return detail(row);
    },

    /** The highest live major version of a slug. Throws like `get`. */
    async getBySlug(slug: string, callerUserId: string | undefined) {
      const row = await readListingBySlug(pool, slug);
      if (!row) throw await refusalOfHidden(pool, { slug }, callerUserId);
      return detail(row);
    },
  };
}

export type Listings = ReturnType<typeof createListings>;

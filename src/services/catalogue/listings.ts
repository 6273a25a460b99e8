import { WARRANTY_LIMITS } from '../../domain/bonds/warranty';
import { listWarrantyMonths, type WarrantyMonth } from '../../stores/bonds/warranties';
import type { Db, DbPool } from '../../stores/db';
import { type PublicDeveloper, readDeveloper } from '../../stores/catalogue/developers';
import type { ListingFilter, ListingSort } from '../../stores/catalogue/search/listing-order';
import type { Meaning } from '../../stores/catalogue/search/intent-search';
import { searchListings } from '../../stores/catalogue/search/listing-search';
import { type NearestListings, nearestListings } from '../../stores/catalogue/search/nearest-listings';
import {
  type ListingRow,
  readListing,
  readListingBySlug,
  readListingDetail,
  readVersionListing,
  type ServedVersion,
} from '../../stores/catalogue/listings';
import { type ListingDay, readListingDays } from '../../stores/catalogue/agent-stats';
import { type Latency, NO_LATENCY } from '../../stores/catalogue/latencies';
import { readNewestReport } from '../../stores/verification/trust-reports';
import { contradictedDeclarations } from '../../domain/verification/declarations';
import { examinedText } from '../../domain/verification/reader-texts';
import type { Judgement } from '../../domain/verification/trust';
import { daysOf } from '../../domain/catalogue/usage';
import type { Viewer } from '../../domain/catalogue/agent-state';
import { exampleInputs } from '../../domain/catalogue/example-inputs';
import { MarketError } from '../../domain/errors';
import { readLatestVersions } from '../../stores/catalogue/agent-versions';
import { refusalOfHidden } from './hidden-agents';
import { readOwnAgent } from './own-agent';

export type Listing = ListingRow;
export type { NearestListings };
/** The public figures of a UTC day. */
export type ListingFigures = ListingDay & Latency;

const DAY_MS = 86_400_000;
/** Days of the public figures: today and the days before it. */
const FIGURE_DAYS = 30;

/** A listing with what a caller needs to call the agent. */
export interface ListingDetail extends Listing {
  inputSchema: Record<string, unknown> | null;
  outputSchema: Record<string, unknown> | null;
  /** Inputs of the manifest's examples, then those of its input schema. */
  examples: unknown[];
  /** The versions that have ever served, newest first. */
  versions: ServedVersion[];
  /** The decided months of its warranties, newest first. */
  warrantyMonths: WarrantyMonth[];
  /** The declarations that the newest trust report contradicts. */
  contradicted: string[];
  /** What the newest run examined of the behaviour; null if its report does not say it. */
  examined: string | null;
}

export interface ListingSearch extends ListingFilter {
  sort: ListingSort;
}

interface ListingPosition {
  limit: number;
  /** The sort key and the id of an agent; empty for the first page. */
  after: readonly string[];
}

/** Listings of agents for buyers (contract, "Listings"). They never contain an endpoint. */
export function createListings(deps: {
  pool: DbPool;
  reads?: Db;
  meaning?: Meaning | undefined;
  now?: () => Date;
}) {
  const { pool, reads = pool, meaning, now = () => new Date() } = deps;

  const detail = (row: Listing) => readDetail(pool, row);

  return {
    /** A page of agents. A search that finds nothing has the nearest agents instead. */
    search: (search: ListingSearch, page: ListingPosition) => searchPage(reads, search, { ...page, meaning }),

    /**
     * A developer as the viewer may see them. Throws `not_found` for an unknown id, and for a developer without an
     * agent that the viewer can call.
     */
    async developer(developerId: string, viewer: Viewer): Promise<PublicDeveloper> {
      const developer = await readDeveloper(reads, developerId, { nowMs: now().getTime(), viewer });
      if (!developer) throw new MarketError('not_found');
      return developer;
    },

    /** Throws `not_found` unless it is shown; to the owner of a suspended or retired agent, `invalid_state`. */
    async get(agentId: string, callerUserId: string | undefined) {
      const row = await readListing(pool, agentId, callerUserId);
      if (!row) throw await refusalOfHidden(pool, { agentId }, callerUserId);
      return detail(row);
    },

    /**
     * An own agent as buyers will see it: the serving version, else the newest one, whatever the state of the agent.
     * Throws `not_found` for agents of others.
     */
    preview: async (userId: string, agentId: string) => detail(await readPreview(pool, userId, agentId)),

    /** The highest live major version of a slug. Throws like `get`. */
    async getBySlug(slug: string, callerUserId: string | undefined) {
      const row = await readListingBySlug(pool, slug, callerUserId);
      if (!row) throw await refusalOfHidden(pool, { slug }, callerUserId);
      return detail(row);
    },

    /**
     * The figures of the last 30 UTC days, oldest first: paid calls of other accounts than the developer's. The window
     * has whole days alone, so that they are read from the roll-up and cost the same after any number of calls. Throws
     * like `get`.
     */
    async figures(agentId: string, callerUserId: string | undefined): Promise<ListingFigures[]> {
      await requireShown(pool, agentId, callerUserId);
      const end = Math.floor(now().getTime() / DAY_MS) + 1;
      const since = new Date((end - FIGURE_DAYS) * DAY_MS);
      const until = new Date(end * DAY_MS);
      const days = await readListingDays(reads, { agentId, since, until });
      const byDate = new Map(days.map((day) => [day.date, day]));
      return daysOf(since, until).map(
        (date) => byDate.get(date) ?? { date, calls: 0, successRate: null, ...NO_LATENCY },
      );
    },
  };
}

async function searchPage(
  db: Db,
  { sort, ...filter }: ListingSearch,
  { meaning, ...page }: ListingPosition & { meaning: Meaning | undefined },
) {
  const after = page.after.length > 0 ? page.after : undefined;
  const found = await searchListings(db, filter, { sort, limit: page.limit, after, meaning });
  if (found.total > 0 || after) return { ...found, nearest: undefined };
  return { ...found, nearest: await nearestListings(db, filter) };
}

async function requireShown(pool: DbPool, agentId: string, viewer: Viewer): Promise<void> {
  if (!(await readListing(pool, agentId, viewer))) throw await refusalOfHidden(pool, { agentId }, viewer);
}

async function readDetail(pool: DbPool, row: Listing): Promise<ListingDetail> {
  const [{ manifest, versions }, report, warrantyMonths] = await Promise.all([
    readListingDetail(pool, row),
    readNewestReport(pool, row.agentId, { any: false }),
    listWarrantyMonths(pool, row.agentId, WARRANTY_LIMITS.months),
  ]);
  const judgement = report && (JSON.parse(report.judgement) as Judgement);
  return {
    ...row,
    inputSchema: (manifest.input_schema ?? null) as Record<string, unknown> | null,
    outputSchema: (manifest.output_schema ?? null) as Record<string, unknown> | null,
    examples: exampleInputs(manifest),
    versions,
    warrantyMonths,
    contradicted: judgement ? contradictedDeclarations(judgement).map(([declaration]) => declaration) : [],
    examined: judgement?.examined ? examinedText(judgement.examined, judgement.tools) : null,
  };
}

async function readPreview(pool: DbPool, userId: string, agentId: string): Promise<Listing> {
  const agent = await readOwnAgent(pool, userId, agentId);
  const newest = (await readLatestVersions(pool, [agentId])).get(agentId);
  const versionId = agent.servingVersionId ?? newest?.versionId;
  const row = versionId === undefined ? undefined : await readVersionListing(pool, agentId, versionId);
  if (!row) throw new MarketError('not_found');
  return row;
}

export type Listings = ReturnType<typeof createListings>;

/**
 * Read model of listings. Every order is a single bigint key, highest first, then the agent id. A cursor is therefore
 * always (key, id), and new agents neither repeat nor hide others. The endpoint is never selected.
 */
import type { PublicPart } from '../../domain/catalogue/manifest';
import { searchTerms } from '../../domain/catalogue/search-terms';
import type { Db } from '../db';

export type ListingSort = 'relevance' | 'trust_score' | 'price_asc' | 'price_desc' | 'newest' | 'popular';

export interface ListingFilter {
  q?: string | undefined;
  category?: string | undefined;
  tags?: readonly string[] | undefined;
  badge?: string | undefined;
  minTrustScore?: number | undefined;
  maxPriceUnits?: number | undefined;
  pricingModel?: string | undefined;
  protocol?: 'http' | 'mcp' | undefined;
}

export interface ListingRow {
  agentId: string;
  slug: string;
  displayName: string;
  description: string;
  category: string;
  tags: string[];
  developerId: string;
  developerName: string;
  version: string;
  versionId: string;
  publicPart: PublicPart;
  kind: 'manifest' | 'http' | 'mcp';
  badge: string | null;
  trustScore: number | null;
  invocations30d: number;
  successRate: number | null;
  p50Ms: number | null;
  createdAt: Date;
  updatedAt: Date;
  /** Key in the requested order, for the cursor. */
  sortKey: string;
}

interface RawListing {
  agent_id: string;
  slug: string;
  display_name: string;
  description: string;
  category: string;
  tags: string[];
  developer_id: string;
  developer_name: string;
  version: string;
  version_id: string;
  public_part: string;
  kind: ListingRow['kind'];
  badge: string | null;
  trust_score: number | null;
  invocations_30d: number | null;
  success_rate: string | null;
  p50_ms: number | null;
  created_at: Date;
  updated_at: Date;
  sort_key: string;
}

const SORT_KEYS: Record<ListingSort, string> = {
  relevance: 'coalesce(a.trust_score, -1)',
  trust_score: 'coalesce(a.trust_score, -1)',
  price_asc: '-v.price_units',
  price_desc: 'v.price_units',
  newest: 'extract(epoch FROM a.created_at) * 1000000',
  // Buyers of each day, then calls: one buyer's many calls do not outrank many buyers.
  popular: 'coalesce(s.buyer_days_30d, 0) * 1000000::bigint + least(coalesce(s.invocations_30d, 0), 999999)',
};
/**
 * Rank and query are deterministic, so the rank can be part of a cursor. The factor 10^6 keeps ranks distinguishable.
 * Whole words count more than parts of words, and a part in the name more than elsewhere.
 */
const RANK = `(ts_rank_cd(v.search, websearch_to_tsquery('english', $1)) + ts_rank_cd(v.search_words, websearch_to_tsquery('simple', $1))
  + CASE WHEN cardinality($13::text[]) > 0 AND NOT EXISTS (
      SELECT FROM unnest($13::text[]) part WHERE strpos(search_text(v.display_name, '', '{}', ''), part) = 0) THEN 0.1 ELSE 0 END)
  * 1000000`;

/**
 * The words of $1 in any English form, or as they are; or all texts of $13 anywhere, with the whole words of $14. The
 * indexes of the three columns answer it. $12 excludes words.
 */
const FOUND = `($1::text IS NULL OR v.search @@ websearch_to_tsquery('english', $1)
    OR v.search_words @@ websearch_to_tsquery('simple', $1)
    OR (cardinality($13::text[]) > 0 AND v.search_grams @> $15::text[]
      AND NOT EXISTS (SELECT FROM unnest($13::text[]) part WHERE strpos(v.search_text, part) = 0)
      AND ($14 = '' OR v.search_words @@ plainto_tsquery('simple', $14))))
  AND ($12::text IS NULL OR NOT (v.search @@ websearch_to_tsquery('english', $12)
    OR v.search_words @@ websearch_to_tsquery('simple', $12)))`;

/** The columns of a listing. */
const RECORD = `a.agent_id, a.slug, v.display_name, v.description, v.category, v.tags, u.developer_id,
  u.display_name AS developer_name, v.version, v.version_id, v.public_part, a.kind, a.badge, a.trust_score,
  s.invocations_30d, s.success_rate, s.p50_ms, a.created_at, a.updated_at`;
const SOURCES = `agents a JOIN agent_versions v ON v.version_id = a.serving_version_id
  LEFT JOIN agent_stats s ON s.agent_id = a.agent_id`;

/** Conditions of a search, with parameters $1 to $8 and $12 to $15. */
const MATCHES = `a.listed AND a.status = 'active'
  AND ${FOUND}
  AND ($2::text IS NULL OR v.category = $2)
  AND ($3::text[] IS NULL OR v.tags @> $3)
  AND ($4::text IS NULL OR a.badge = $4)
  AND ($5::int IS NULL OR coalesce(a.trust_score, 0) >= $5)
  AND ($6::bigint IS NULL OR v.price_units <= $6)
  AND ($7::text IS NULL OR v.pricing_model = $7)
  AND ($8::text IS NULL OR (a.kind = 'mcp') = ($8 = 'mcp'))`;

/** Returns one page of search results and the total number of matches. */
export async function searchListings(
  db: Db,
  filter: ListingFilter,
  page: { sort: ListingSort; limit: number; after?: readonly string[] | undefined },
): Promise<{ rows: ListingRow[]; total: number }> {
  const terms = searchTerms(filter.q ?? '');
  const key = page.sort === 'relevance' && terms.wanted !== null ? RANK : SORT_KEYS[page.sort];
  const found = await db.query<Partial<RawListing> & { total: string }>(
    `WITH found AS MATERIALIZED (
       SELECT a.agent_id, (${key})::bigint AS sort_key FROM ${SOURCES} WHERE ${MATCHES}
     ), page AS (
       SELECT ${RECORD}, found.sort_key
         FROM (SELECT * FROM found WHERE $9::bigint IS NULL OR (sort_key, agent_id) < ($9::bigint, $10::text)
                ORDER BY sort_key DESC, agent_id DESC LIMIT $11) found
         JOIN agents a USING (agent_id) JOIN agent_versions v ON v.version_id = a.serving_version_id
         JOIN users u ON u.user_id = a.developer_user_id LEFT JOIN agent_stats s ON s.agent_id = a.agent_id
     )
     SELECT matches.total, page.* FROM (SELECT count(*) AS total FROM found) matches LEFT JOIN page ON true
      ORDER BY page.sort_key DESC, page.agent_id DESC`,
    [
      terms.wanted,
      ...filterValues(filter),
      ...[page.after?.[0] ?? null, page.after?.[1] ?? null, page.limit],
      ...[terms.excluded, terms.parts, terms.words, gramsOf(terms.parts)],
    ],
  );
  const rows = found.rows.filter(
    (row): row is RawListing & { total: string } => typeof row.agent_id === 'string',
  );
  return { rows: rows.map(toListing), total: Number(found.rows[0]?.total ?? 0) };
}

/** Reads the listing of a serving agent, even if search hides the agent. */
export async function readListing(db: Db, agentId: string): Promise<ListingRow | undefined> {
  return readOne(db, 'a.agent_id = $1', agentId);
}

/** Reads the listing of the highest serving major version of a slug. */
export async function readListingBySlug(db: Db, slug: string): Promise<ListingRow | undefined> {
  return readOne(db, 'a.slug = $1', slug);
}

/** Reads what the listing of an agent would be with one of its versions, whatever the state of both. */
export async function readVersionListing(
  db: Db,
  agentId: string,
  versionId: string,
): Promise<ListingRow | undefined> {
  const result = await db.query<RawListing>(
    `SELECT ${RECORD}, '0' AS sort_key FROM agents a JOIN agent_versions v ON v.version_id = $2 AND v.agent_id = a.agent_id
       JOIN users u ON u.user_id = a.developer_user_id LEFT JOIN agent_stats s ON s.agent_id = a.agent_id
      WHERE a.agent_id = $1`,
    [agentId, versionId],
  );
  return result.rows[0] && toListing(result.rows[0]);
}

async function readOne(db: Db, condition: string, value: string): Promise<ListingRow | undefined> {
  const result = await db.query<RawListing>(
    `SELECT ${RECORD}, '0' AS sort_key FROM ${SOURCES} JOIN users u ON u.user_id = a.developer_user_id
      WHERE a.status = 'active' AND ${condition} ORDER BY a.major DESC LIMIT 1`,
    [value],
  );
  return result.rows[0] && toListing(result.rows[0]);
}

export interface ServedVersion {
  version: string;
  status: string;
  liveAt: Date;
  /** What the developer says is new; null if nothing. */
  changelog: string | null;
}

/** Reads the manifest of a version, and all versions of its agent that were ever live, highest first. */
export async function readListingDetail(db: Db, row: Pick<ListingRow, 'agentId' | 'versionId'>) {
  const manifest = await db.query<{ manifest: string }>(
    'SELECT manifest FROM agent_versions WHERE version_id = $1',
    [row.versionId],
  );
  const versions = await db.query<{
    version: string;
    state: string;
    live_at: Date;
    changelog: string | null;
  }>(
    `SELECT version, state, live_at, public_part::json ->> 'changelog' AS changelog FROM agent_versions WHERE agent_id = $1 AND live_at IS NOT NULL
      ORDER BY major DESC, minor DESC, patch DESC LIMIT 100`,
    [row.agentId],
  );
  return {
    manifest: JSON.parse(manifest.rows[0]?.manifest ?? '{}') as Record<string, unknown>,
    versions: versions.rows.map(({ version, state, live_at, changelog }): ServedVersion => ({
      version,
      status: state,
      liveAt: live_at,
      changelog,
    })),
  };
}

/** The pairs of characters of each text, or its only character, as `text_grams` has them. */
function gramsOf(parts: readonly string[]): string[] {
  const grams = parts.flatMap((part) => {
    const letters = [...part];
    return letters.length === 1 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
  });
  return [...new Set(grams)];
}

function filterValues(filter: ListingFilter): unknown[] {
  return [
    filter.category ?? null,
    filter.tags && filter.tags.length > 0 ? filter.tags : null,
    filter.badge ?? null,
    filter.minTrustScore ?? null,
    filter.maxPriceUnits ?? null,
    filter.pricingModel ?? null,
    filter.protocol ?? null,
  ];
}

function toListing(row: RawListing): ListingRow {
  return {
    agentId: row.agent_id,
    slug: row.slug,
    displayName: row.display_name,
    description: row.description,
    category: row.category,
    tags: row.tags,
    developerId: row.developer_id,
    developerName: row.developer_name,
    version: row.version,
    versionId: row.version_id,
    publicPart: JSON.parse(row.public_part) as PublicPart,
    kind: row.kind,
    badge: row.badge,
    trustScore: row.trust_score,
    invocations30d: row.invocations_30d ?? 0,
    successRate: row.success_rate === null ? null : Number(row.success_rate),
    p50Ms: row.p50_ms,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    sortKey: row.sort_key,
  };
}

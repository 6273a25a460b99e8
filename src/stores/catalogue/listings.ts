/** Read model of listings. The endpoint is never selected. */
import type { Warranty } from '../../domain/bonds/warranty';
import type { PublicPart } from '../../domain/catalogue/manifest';
import type { AgentVisibility, Viewer } from '../../domain/catalogue/agent-state';
import type { NextPrice } from '../../domain/prices/price-words';
import type { Db } from '../db';
import { chargedPricing, PRICE_COLUMNS, type PriceColumns } from '../prices/charged-price';
import type { Latency } from './latencies';
import { shownTo } from '../shown-to';

/** A warranty, and in how many months it was kept. */
export interface ListedWarranty extends Warranty {
  months_kept: number;
  months_broken: number;
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
  /** Its pricing is what calls cost now. */
  publicPart: PublicPart;
  /** The price of the version, if calls still cost the one before it. */
  nextPrice: NextPrice | null;
  kind: 'manifest' | 'http' | 'mcp' | 'a2a';
  badge: string | null;
  trustScore: number | null;
  invocations30d: number;
  /** Unrelated buyers in 30 days, at most 1,000. */
  buyers30d: number;
  successRate: number | null;
  p50Ms: Latency['p50Ms'];
  p95Ms: Latency['p95Ms'];
  jobs: Latency['jobs'];
  createdAt: Date;
  updatedAt: Date;
  /** Search finds the agent, and its page is public. */
  listed: boolean;
  visibility: AgentVisibility;
  /** Its warranty, while its developer has a bond. */
  warranty: ListedWarranty | null;
  /** Key in the requested order, for the cursor. */
  sortKey: string;
  /** The words of the query that the agent lacks, if it was found without regard to all of them. */
  missing?: string[];
}

export interface RawListing extends PriceColumns {
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
  buyers_30d: number | null;
  success_rate: string | null;
  p50_ms: number | null;
  p95_ms: number | null;
  jobs_30d: number | null;
  job_p50_ms: number | null;
  job_p95_ms: number | null;
  created_at: Date;
  updated_at: Date;
  listed: boolean;
  visibility: AgentVisibility;
  warranty: ListedWarranty | null;
  sort_key: string;
}

/** When the listing changed; an announced price changes it at its time. */
export const UPDATED_AT = `greatest(a.updated_at, CASE WHEN v.price_effective_at <= now() THEN v.price_effective_at END)`;
/** The columns of a listing. */
export const RECORD = `a.agent_id, a.slug, v.display_name, v.description, v.category, v.tags, u.developer_id,
  u.display_name AS developer_name, v.version, v.version_id, v.public_part, a.kind, a.badge, a.trust_score,
  s.invocations_30d, s.buyers_30d, s.success_rate, s.p50_ms, s.p95_ms, s.jobs_30d, s.job_p50_ms, s.job_p95_ms,
  a.created_at, ${UPDATED_AT} AS updated_at, a.listed, a.visibility, ${PRICE_COLUMNS},
  CASE WHEN v.warranty IS NOT NULL AND EXISTS (SELECT FROM accounts o WHERE o.user_id = a.developer_user_id AND o.kind = 'bond'
      AND o.balance_units > 0)
    THEN (SELECT v.warranty || jsonb_build_object('months_kept', count(*) FILTER (WHERE m.outcome = 'kept'),
        'months_broken', count(*) FILTER (WHERE m.outcome = 'broken')) FROM warranty_months m WHERE m.agent_id = a.agent_id)
  END AS warranty`;
export const SOURCES = `agents a JOIN agent_versions v ON v.version_id = a.serving_version_id
  LEFT JOIN agent_stats s ON s.agent_id = a.agent_id`;

/** Reads the listing of a serving agent that is shown to the viewer, even if search hides the agent. */
export async function readListing(db: Db, agentId: string, viewer: Viewer): Promise<ListingRow | undefined> {
  return readOne(db, 'a.agent_id = $1', [agentId, viewer]);
}

/** Reads the listing of the highest serving major version of a slug that is shown to the viewer. */
export async function readListingBySlug(
  db: Db,
  slug: string,
  viewer: Viewer,
): Promise<ListingRow | undefined> {
  return readOne(db, 'a.slug = $1', [slug, viewer]);
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

async function readOne(
  db: Db,
  condition: string,
  [value, viewer]: [string, Viewer],
): Promise<ListingRow | undefined> {
  const result = await db.query<RawListing>(
    `SELECT ${RECORD}, '0' AS sort_key FROM ${SOURCES} JOIN users u ON u.user_id = a.developer_user_id
      WHERE a.status = 'active' AND ${condition} AND ${shownTo('$2')} ORDER BY a.major DESC LIMIT 1`,
    [value, viewer ?? null],
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

export function toListing(row: RawListing): ListingRow {
  const publicPart = JSON.parse(row.public_part) as PublicPart;
  const { pricing, next } = chargedPricing(publicPart.pricing, row);
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
    publicPart: { ...publicPart, pricing },
    nextPrice: next,
    kind: row.kind,
    badge: row.badge,
    trustScore: row.trust_score,
    invocations30d: row.invocations_30d ?? 0,
    buyers30d: row.buyers_30d ?? 0,
    successRate: row.success_rate === null ? null : Number(row.success_rate),
    p50Ms: row.p50_ms,
    p95Ms: row.p95_ms,
    jobs: { count: row.jobs_30d ?? 0, p50Ms: row.job_p50_ms, p95Ms: row.job_p95_ms },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    listed: row.listed,
    visibility: row.visibility,
    warranty: row.warranty,
    sortKey: row.sort_key,
  };
}

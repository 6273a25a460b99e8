/** The orders and filters of listings, as SQL over `agents a`, `agent_versions v` and `agent_stats s`. */
import type { SearchTerms } from '../../../domain/catalogue/search/search-terms';
import { CHARGED_MODEL, CHARGED_UNITS } from '../../prices/charged-price';

export type ListingSort =
  | 'relevance'
  | 'trust_score'
  | 'price_asc'
  | 'price_desc'
  | 'newest'
  | 'popular'
  | 'success_rate'
  | 'latency';

export interface ListingFilter {
  q?: string | undefined;
  category?: string | undefined;
  tags?: readonly string[] | undefined;
  badge?: string | undefined;
  minTrustScore?: number | undefined;
  maxPriceUnits?: number | undefined;
  pricingModel?: string | undefined;
  protocol?: 'http' | 'mcp' | 'a2a' | undefined;
  /** From 0 to 1. Agents with fewer than ten unrelated buyers have none. */
  minSuccessRate?: number | undefined;
  /** Agents with fewer than ten unrelated buyers have none. */
  maxP50Ms?: number | undefined;
  streaming?: boolean | undefined;
  jobs?: boolean | undefined;
  /** Whether the input schema has `messages`. */
  chat?: boolean | undefined;
  residency?: string | undefined;
  maxRetentionDays?: number | undefined;
  /** The public id of a developer. */
  developerId?: string | undefined;
  /** Only these agents. */
  agentIds?: readonly string[] | undefined;
}

/** Adds a value to those of the statement. Returns the name of its parameter. */
export type Param = (value: unknown) => string;

/**
 * What an agent has proved: the days of its unrelated buyers in the last 30 days, of which the share that at least
 * succeeds counts twice, so that a high score does not outweigh failures.
 */
export const PROVED = 'power(success_bound(s.buyer_days_30d, s.success_rate), 2)';
export const TRUST = '(coalesce(a.trust_score, -1) + 1) / 101.0';
const QUALITY = `${TRUST} * ${PROVED}`;

export const SORT_KEYS: Record<ListingSort, string> = {
  relevance: `${QUALITY} * 1000000000`,
  trust_score: 'coalesce(a.trust_score, -1)',
  price_asc: `-${CHARGED_UNITS}`,
  price_desc: CHARGED_UNITS,
  newest: 'extract(epoch FROM a.created_at) * 1000000',
  // Unrelated buyers, then their days: neither many calls nor many days of one buyer outrank many buyers.
  popular: 'coalesce(s.buyers_30d, 0) * 1000000::bigint + least(coalesce(s.buyer_days_30d, 0), 999999)',
  // Agents with few buyers have no rate and are last.
  success_rate: `CASE WHEN s.success_rate IS NULL THEN -1
    ELSE success_bound(s.buyer_days_30d, s.success_rate) * 1000000000 END`,
  latency: '-coalesce(s.p50_ms, 2147483647)::bigint',
};

/** The kinds of agents that are called by a protocol. */
const KINDS_OF = {
  http: `a.kind IN ('manifest', 'http')`,
  mcp: `a.kind = 'mcp'`,
  a2a: `a.kind = 'a2a'`,
} as const;

/** A column of the search row of an agent. */
const searchRow = (column: string) =>
  `(SELECT r.${column} FROM agent_search r WHERE r.agent_id = a.agent_id)`;

/** The conditions that excluded words set. */
export function excluding({ excluded }: SearchTerms, param: Param): string[] {
  if (excluded === null) return [];
  const words = param(excluded);
  return [
    `NOT (v.search @@ websearch_to_tsquery('english', ${words}) OR v.search_words @@ websearch_to_tsquery('simple', ${words}))`,
  ];
}

export function filtersOf(filter: ListingFilter, param: Param): string[] {
  const conditions: (string | false)[] = [
    filter.category !== undefined && `v.category = ${param(filter.category)}`,
    filter.tags !== undefined && filter.tags.length > 0 && `v.tags @> ${param(filter.tags)}::text[]`,
    filter.badge !== undefined && `a.badge = ${param(filter.badge)}`,
    filter.minTrustScore !== undefined && `coalesce(a.trust_score, 0) >= ${param(filter.minTrustScore)}`,
    filter.maxPriceUnits !== undefined && `${CHARGED_UNITS} <= ${param(filter.maxPriceUnits)}`,
    filter.pricingModel !== undefined && `${CHARGED_MODEL} = ${param(filter.pricingModel)}`,
    filter.protocol !== undefined && KINDS_OF[filter.protocol],
    filter.minSuccessRate !== undefined && `s.success_rate >= ${param(filter.minSuccessRate)}`,
    filter.maxP50Ms !== undefined && `s.p50_ms <= ${param(filter.maxP50Ms)}`,
    filter.streaming !== undefined && `v.streaming = ${param(filter.streaming)}`,
    filter.jobs !== undefined && `${searchRow('jobs')} = ${param(filter.jobs)}`,
    filter.chat !== undefined && `${searchRow('chat')} = ${param(filter.chat)}`,
    filter.residency !== undefined && `${searchRow('residency')} = ${param(filter.residency)}`,
    filter.maxRetentionDays !== undefined && `v.retention_days <= ${param(filter.maxRetentionDays)}`,
    filter.developerId !== undefined &&
      `a.developer_user_id = (SELECT user_id FROM users WHERE developer_id = ${param(filter.developerId)})`,
    filter.agentIds !== undefined && `a.agent_id = ANY (${param(filter.agentIds)}::text[])`,
  ];
  return conditions.filter((condition) => condition !== false);
}

/** Agents that search finds, made behind the rules of publishing, and searches as a buyer makes them. */
import { putLive, type TestMarket, type TestUser } from '../market';
import { request, type Reply } from './publishing';

export interface Listing {
  agent_id: string;
  slug: string;
  trust_score: number | null;
  pricing: { credits_per_call: number };
  created_at: string;
  stats: {
    invocations_30d: number;
    buyers_30d: number;
    few_calls: boolean;
    success_rate: number | null;
    p50_ms: number | null;
  };
}
export type ListingPage = { items: Listing[]; next_cursor: string | null; total: number };

/** A listing must not contain this. */
export const LISTED_ENDPOINT = 'https://127.77.0.9:9443/secret-path';

export interface ListingFields {
  display_name?: string;
  description?: string;
  category?: string;
  tags?: string[];
  pricing_model?: string;
  badge?: string | null;
  trust_score?: number | null;
  kind?: string;
  listed?: boolean;
  status?: string;
  created_at?: string;
}

let made = 0;

/** An agent that is live, with the given fields behind the rules of publishing. */
export async function putListing(
  market: TestMarket,
  developer: Pick<TestUser, 'userId'>,
  slug: string,
  credits: number,
  fields: ListingFields = {},
): Promise<string> {
  made += 1;
  const { agentId, versionId } = await putLive(market, developer.userId, LISTED_ENDPOINT, {
    agentId: slug,
    credits,
  });
  const {
    badge = null,
    trust_score = null,
    kind = 'manifest',
    listed = true,
    status = 'active',
    ...texts
  } = fields;
  const createdAt = fields.created_at ?? new Date(Date.UTC(2026, 0, 1) + made * 1_000).toISOString();
  delete texts.created_at;
  await market.owner.query(
    `UPDATE agents SET badge = $2, trust_score = $3, kind = $4, listed = $5, status = $6, created_at = $7 WHERE agent_id = $1`,
    [agentId, badge, trust_score, kind, listed, status, createdAt],
  );
  await market.owner.query('ALTER TABLE agent_versions DISABLE TRIGGER agent_version_is_immutable');
  for (const [column, value] of Object.entries(texts)) {
    await market.owner.query(`UPDATE agent_versions SET ${column} = $2 WHERE version_id = $1`, [
      versionId,
      value,
    ]);
  }
  await market.owner.query('ALTER TABLE agent_versions ENABLE TRIGGER agent_version_is_immutable');
  await market.owner.query('DELETE FROM agent_search WHERE agent_id = $1', [agentId]);
  await market.owner.query('SELECT agent_search_write(ARRAY[$1])', [agentId]);
  return agentId;
}

export function searchListings(
  market: Pick<TestMarket, 'url'>,
  who: Pick<TestUser, 'cookie'>,
  query: string,
): Promise<Reply<ListingPage>> {
  return request<ListingPage>(market, who, 'GET', `/v1/listings?${query}`);
}

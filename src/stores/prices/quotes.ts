/** Quotes of calls (`migrations/0119_quotes.sql`). */
import type { Pricing } from '../../domain/catalogue/manifest';
import { type Db, onlyRow } from '../db';

const HOLDS_FOR = "interval '10 minutes'";
/** Quotes that have expired are known for so long, so that a call by one is refused with the reason. */
const KNOWN_FOR = "interval '1 day'";

export interface NewQuote {
  quoteId: string;
  userId: string;
  versionId: string;
  inputSha256: string;
  /** The agent takes jobs. */
  isJob: boolean;
}

export interface Offer {
  pricing: Pricing;
  manifestSha256: string;
  expectedMs: number | null;
  expiresAt: Date;
}

/** Stores a quote at the price of now. */
export async function insertQuote(db: Db, quote: NewQuote): Promise<Offer> {
  const result = await db.query<{
    pricing: Pricing;
    manifest_sha256: string;
    expected_ms: number | null;
    expires_at: Date;
  }>({
    name: 'quote-insert',
    text: `WITH offer AS (
        SELECT v.version_id, v.agent_id, v.manifest_sha256, coalesce(now() < v.price_effective_at, false) AS is_former,
               CASE WHEN now() < v.price_effective_at THEN v.former_price -> 'pricing'
                 ELSE (v.public_part::json -> 'pricing')::jsonb END AS pricing
          FROM agent_versions v WHERE v.version_id = $3),
      stored AS (
        INSERT INTO price_quotes (quote_id, user_id, agent_id, version_id, input_sha256, is_former, expires_at)
        SELECT $1, $2, agent_id, version_id, $4, is_former, date_trunc('milliseconds', now()) + ${HOLDS_FOR} FROM offer
        RETURNING expires_at)
      SELECT o.pricing, o.manifest_sha256, q.expires_at,
             (SELECT CASE WHEN $5 THEN s.job_p50_ms ELSE s.p50_ms END FROM agent_stats s WHERE s.agent_id = o.agent_id) AS expected_ms
        FROM offer o, stored q`,
    values: [quote.quoteId, quote.userId, quote.versionId, quote.inputSha256, quote.isJob],
  });
  const row = onlyRow(result);
  return {
    pricing: row.pricing,
    manifestSha256: row.manifest_sha256,
    expectedMs: row.expected_ms,
    expiresAt: row.expires_at,
  };
}

export interface QuoteRow {
  userId: string;
  agentId: string;
  versionId: string;
  inputSha256: string;
  isFormer: boolean;
  isOver: boolean;
}

export async function readQuote(db: Db, quoteId: string): Promise<QuoteRow | undefined> {
  const { rows } = await db.query<QuoteRow>({
    name: 'quote-read',
    text: `SELECT user_id AS "userId", agent_id AS "agentId", version_id AS "versionId", input_sha256 AS "inputSha256",
                  is_former AS "isFormer", now() >= expires_at AS "isOver" FROM price_quotes WHERE quote_id = $1`,
    values: [quoteId],
  });
  return rows[0];
}

/** Deletes up to `most` quotes that expired a day ago. */
export async function purgeQuotes(db: Db, most: number): Promise<void> {
  await db.query(
    `DELETE FROM price_quotes WHERE quote_id IN (SELECT quote_id FROM price_quotes
      WHERE expires_at < now() - ${KNOWN_FOR} ORDER BY expires_at LIMIT $1)`,
    [most],
  );
}

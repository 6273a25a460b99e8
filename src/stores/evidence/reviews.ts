/** Reviews of paid calls (`migrations/0187_reviews.sql`), which functions alone write. */
import type { ChainIdentity, PublicPart } from '../../domain/catalogue/manifest';
import type { ReviewFacts } from '../../domain/evidence/feedback';
import { onlyRow, type Db } from '../db';
import { countRows } from '../list-total';

export interface ReviewRow {
  reviewId: string;
  invocationId: string;
  agentId: string;
  version: string;
  rating: number;
  body: string | null;
  weight: number;
  createdAt: Date;
  answer: string | null;
  answeredAt: Date | null;
  removedAt: Date | null;
  removalReason: string | null;
  /** False once its buyer is related to the developer: then it is neither counted nor shown to others. */
  isCounted: boolean;
  buyerUserId: string;
  developerUserId: string;
}

export interface ReviewSummary {
  /** Unrelated buyers with a review; the newest of each counts. */
  buyers: number;
  weight: number;
  weighted: number;
  /** How many buyers gave one star, two, three, four and five. */
  stars: number[];
  changedAt: Date | null;
}

const COLUMNS = `r.review_id AS "reviewId", r.invocation_id AS "invocationId", r.agent_id AS "agentId", r.version, r.rating,
  r.body, r.weight, r.created_at AS "createdAt", r.answer, r.answered_at AS "answeredAt", r.removed_at AS "removedAt",
  r.removal_reason AS "removalReason", r.unit_id IS NOT NULL AS "isCounted", r.buyer_user_id AS "buyerUserId",
  r.developer_user_id AS "developerUserId"`;

export type ReviewOutcome = 'written' | 'not_found' | 'not_paid' | 'too_late' | 'reviewed' | 'related';

/** Writes the review of a call that has a receipt. Returns why not, if it does not. */
export async function writeReview(
  tx: Db,
  review: {
    reviewId: string;
    invocationId: string;
    buyerUserId: string;
    rating: number;
    body: string | null;
  },
): Promise<ReviewOutcome> {
  const result = await tx.query<{ outcome: ReviewOutcome }>(
    'SELECT review_write($1, $2, $3, $4, $5) AS outcome',
    [review.reviewId, review.invocationId, review.buyerUserId, review.rating, review.body],
  );
  return onlyRow(result).outcome;
}

export async function writeAnswer(
  tx: Db,
  { reviewId, developerUserId, text }: { reviewId: string; developerUserId: string; text: string },
): Promise<boolean> {
  const result = await tx.query<{ is: boolean }>('SELECT review_answer($1, $2, $3) AS is', [
    reviewId,
    developerUserId,
    text,
  ]);
  return onlyRow(result).is;
}

export async function writeRemoval(
  tx: Db,
  { reviewId, operatorUserId, reason }: { reviewId: string; operatorUserId: string; reason: string },
): Promise<boolean> {
  const result = await tx.query<{ is: boolean }>('SELECT review_remove($1, $2, $3) AS is', [
    reviewId,
    operatorUserId,
    reason,
  ]);
  return onlyRow(result).is;
}

export async function readReview(db: Db, reviewId: string): Promise<ReviewRow | undefined> {
  const { rows } = await db.query<ReviewRow>(`SELECT ${COLUMNS} FROM reviews r WHERE r.review_id = $1`, [
    reviewId,
  ]);
  return rows[0];
}

/** The review of a call, for its buyer and for the developer of the agent. */
export async function readReviewOfCall(
  db: Db,
  invocationId: string,
  userId: string,
): Promise<ReviewRow | undefined> {
  const { rows } = await db.query<ReviewRow>(
    `SELECT ${COLUMNS} FROM reviews r WHERE r.invocation_id = $1 AND (r.buyer_user_id = $2 OR r.developer_user_id = $2)`,
    [invocationId, userId],
  );
  return rows[0];
}

interface ReviewPage {
  limit: number;
  beforeId?: string | undefined;
}

const SHOWN = 'r.agent_id = $1 AND r.removed_at IS NULL AND r.unit_id IS NOT NULL';

/** Lists the shown reviews of an agent, newest first. */
export async function listReviews(db: Db, agentId: string, { limit, beforeId }: ReviewPage) {
  const { rows } = await db.query<ReviewRow>(
    `SELECT ${COLUMNS} FROM reviews r WHERE ${SHOWN} AND ($2::text IS NULL OR r.review_id < $2)
      ORDER BY r.review_id DESC LIMIT $3`,
    [agentId, beforeId, limit],
  );
  return { rows, total: await countRows(db, { from: 'reviews r', key: SHOWN }, [agentId]) };
}

/** Lists the reviews of all agents of a developer, newest first. */
export async function listReceived(db: Db, developerUserId: string, { limit, beforeId }: ReviewPage) {
  const key = 'r.developer_user_id = $1';
  const { rows } = await db.query<ReviewRow>(
    `SELECT ${COLUMNS} FROM reviews r WHERE ${key} AND ($2::text IS NULL OR r.review_id < $2)
      ORDER BY r.review_id DESC LIMIT $3`,
    [developerUserId, beforeId, limit],
  );
  return { rows, total: await countRows(db, { from: 'reviews r', key }, [developerUserId]) };
}

/** The sums of an agent's reviews; zeros without any. */
export async function readSummary(db: Db, agentId: string): Promise<ReviewSummary> {
  const { rows } = await db.query<{
    buyers: string;
    weight: string;
    weighted: string;
    stars: string[];
    changed_at: Date;
  }>('SELECT buyers, weight, weighted, stars, changed_at FROM review_sums WHERE agent_id = $1', [agentId]);
  const [row] = rows;
  return {
    buyers: Number(row?.buyers ?? 0),
    weight: Number(row?.weight ?? 0),
    weighted: Number(row?.weighted ?? 0),
    stars: row?.stars.map(Number) ?? [0, 0, 0, 0, 0],
    changedAt: row?.changed_at ?? null,
  };
}

interface RawFacts extends Omit<ReviewFacts, 'identity'> {
  publicPart: string | null;
}

/** Lists what feedback files of an agent say, newest first. */
export async function listFeedback(db: Db, agentId: string, { limit, beforeId }: ReviewPage) {
  const { rows } = await db.query<RawFacts>(
    `SELECT r.review_id AS "reviewId", r.invocation_id AS "invocationId", r.agent_id AS "agentId", r.rating, r.weight, r.body,
            r.created_at AS "createdAt", CASE u.kind WHEN 'payer' THEN u.email END AS payer, v.public_part AS "publicPart",
            encode(sha256(convert_to(e.signature, 'UTF8')), 'hex') AS "receiptSha256"
       FROM reviews r JOIN invocation_evidence e USING (invocation_id) JOIN users u ON u.user_id = r.buyer_user_id
       JOIN agents a ON a.agent_id = r.agent_id LEFT JOIN agent_versions v ON v.version_id = a.serving_version_id
      WHERE ${SHOWN} AND ($2::text IS NULL OR r.review_id < $2) ORDER BY r.review_id DESC LIMIT $3`,
    [agentId, beforeId, limit],
  );
  const total = await countRows(db, { from: 'reviews r', key: SHOWN }, [agentId]);
  return {
    rows: rows.map(({ publicPart, ...facts }) => ({ ...facts, identity: identityOf(publicPart) })),
    total,
  };
}

function identityOf(publicPart: string | null): ChainIdentity | null {
  if (publicPart === null) return null;
  return (JSON.parse(publicPart) as PublicPart).erc8004?.[0] ?? null;
}

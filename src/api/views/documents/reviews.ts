import type { Review, ReviewSummary, SignedFeedback } from '../../../services/evidence/reviews';

export function reviewView(row: Review) {
  return {
    review_id: row.reviewId,
    agent_id: row.agentId,
    version: row.version,
    rating: row.rating,
    text: row.body,
    weight: row.weight,
    created_at: row.createdAt.toISOString(),
    answer: row.answer,
    answered_at: row.answeredAt?.toISOString() ?? null,
  };
}

/** A review for its buyer, its developer and operators. */
export function ownReviewView(row: Review) {
  return {
    ...reviewView(row),
    invocation_id: row.invocationId,
    counted: row.isCounted && row.removedAt === null,
    removed_at: row.removedAt?.toISOString() ?? null,
    removal_reason: row.removalReason,
  };
}

export function reviewSummaryView(
  agentId: string,
  { buyers, weight, weighted, stars, changedAt }: ReviewSummary,
) {
  return {
    agent_id: agentId,
    average: weight === 0 ? null : Math.round((weighted * 100) / weight) / 100,
    buyers,
    distribution: stars,
    changed_at: changedAt?.toISOString() ?? null,
  };
}

export function feedbackView({ reviewId, file, signature }: SignedFeedback) {
  return { review_id: reviewId, feedback: file, signature };
}

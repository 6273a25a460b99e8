/**
 * The feedback file of ERC-8004, as which a review is exported: who gave which value to which agent. The market signs
 * it, so that the review is believed elsewhere (docs/reviews.md).
 */
import type { ChainIdentity } from '../catalogue/manifest';

export interface ReviewFacts {
  reviewId: string;
  invocationId: string;
  agentId: string;
  rating: number;
  weight: number;
  body: string | null;
  createdAt: Date;
  /** The paying address of the buyer as a CAIP-10 id; null for one with an account. */
  payer: string | null;
  /** SHA-256 of the receipt of the call. */
  receiptSha256: string;
  /** The identity that the agent claims in a registry; null without one. */
  identity: ChainIdentity | null;
}

/** The value of five stars. */
const MOST_VALUE = 100;
const MOST_STARS = 5;

/** The file. An agent without an identity on a chain has its address at the market instead. */
export function feedbackFile(origin: string, facts: ReviewFacts) {
  const { identity, payer, rating } = facts;
  return {
    agentRegistry: identity?.registry ?? origin,
    agentId: identity?.agent_id ?? facts.agentId,
    clientAddress: payer ?? `${origin}/reviews/${facts.reviewId}`,
    createdAt: facts.createdAt.toISOString(),
    value: Math.round((rating * MOST_VALUE) / MOST_STARS),
    valueDecimals: 0,
    tag1: 'starred',
    tag2: 'paid',
    endpoint: `${origin}/v1/agents/${facts.agentId}/invoke`,
    market: {
      agent_id: facts.agentId,
      review_id: facts.reviewId,
      rating,
      weight: facts.weight,
      text: facts.body,
      receipt_sha256: facts.receiptSha256,
    },
  };
}

export type FeedbackFile = ReturnType<typeof feedbackFile>;

/**
 * Reviews of paid calls (docs/reviews.md). A review needs the receipt of its call, so that none exists without a
 * payment; a buyer who is related to the developer has none.
 */
import type { Config } from '../../config';
import { MarketError } from '../../domain/errors';
import { type FeedbackFile, feedbackFile } from '../../domain/evidence/feedback';
import { canonicalJson } from '../../kit/json/canonical-json';
import { signJws } from '../../kit/crypto/jws';
import { newId } from '../../kit/ids/ids';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import { readShownAgent } from '../../stores/catalogue/agents';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import * as store from '../../stores/evidence/reviews';
import { recordEvent } from '../../stores/webhooks/outbox';
import { createEvidence } from './evidence';
import type { SigningKeys } from './signing-keys';

export type Review = store.ReviewRow;
export type ReviewSummary = store.ReviewSummary;

interface ReviewDeps {
  pool: DbPool;
  keys: Pick<SigningKeys, 'active'>;
  /** The address of the market, which feedback files name. */
  config: Pick<Config, 'PUBLIC_ORIGIN'>;
}

interface Page {
  limit: number;
  beforeId?: string | undefined;
}

const REFUSALS: Record<Exclude<store.ReviewOutcome, 'written' | 'not_found' | 'related'>, string> = {
  not_paid: 'Only a call that succeeded and was charged can be reviewed.',
  too_late: 'A call can be reviewed within 30 days.',
  reviewed: 'This call is reviewed already. Each call has one review, which does not change.',
};

export function createReviews(deps: ReviewDeps) {
  const { pool } = deps;
  const evidence = createEvidence(deps);

  return {
    ...readersOf(deps),

    /**
     * Writes the review of an own call. Throws `not_found`, `forbidden` for an account that is related to the
     * developer, and `invalid_state` for a call that is not paid, is older than 30 days, or has a review.
     */
    async write(
      buyerUserId: string,
      invocationId: string,
      given: { rating: number; text?: string | undefined },
    ) {
      // The receipt, which the row refers to; calls in progress have none.
      await evidence.ofCalls([invocationId]);
      return withTransaction(pool, async (tx) => {
        const reviewId = newId('rev');
        const { rating, text: body = null } = given;
        const outcome = await store.writeReview(tx, { reviewId, invocationId, buyerUserId, rating, body });
        requireWritten(outcome);
        const review = await reviewOf(tx, reviewId);
        await notify(tx, 'review.written', review, review.developerUserId);
        return review;
      });
    },

    /** Answers a review of an own agent, once. Throws `not_found`, or `invalid_state` if it is answered or removed. */
    answer: (developerUserId: string, reviewId: string, text: string): Promise<Review> =>
      withTransaction(pool, async (tx) => {
        const review = await store.readReview(tx, reviewId);
        if (review?.developerUserId !== developerUserId) throw new MarketError('not_found');
        if (!(await store.writeAnswer(tx, { reviewId, developerUserId, text })))
          throw new MarketError('invalid_state', { message: 'This review is answered or removed.' });
        await notify(tx, 'review.answered', review, review.buyerUserId);
        return reviewOf(tx, reviewId);
      }),

    /** Removes a review for an operator. Throws `not_found`, or `invalid_state` if it is removed. */
    remove: (reviewId: string, request: RemovalRequest): Promise<Review> =>
      withTransaction(pool, async (tx) => {
        const review = await reviewOf(tx, reviewId);
        const { operatorUserId, reason } = request;
        if (!(await store.writeRemoval(tx, { reviewId, operatorUserId, reason })))
          throw new MarketError('invalid_state', { message: 'This review is removed.' });
        const details = { agent_id: review.agentId };
        await recordOperatorAction(tx, { ...request, action: 'review.remove', subject: reviewId, details });
        await notify(tx, 'review.removed', review, review.buyerUserId);
        return reviewOf(tx, reviewId);
      }),
  };
}

function readersOf(deps: ReviewDeps) {
  const { pool } = deps;
  const { origin } = new URL(deps.config.PUBLIC_ORIGIN);
  return {
    /** The review of a call, for its buyer and its developer. Throws `not_found`. */
    async ofCall(userId: string, invocationId: string): Promise<Review> {
      const review = await store.readReviewOfCall(pool, invocationId, userId);
      if (!review) throw new MarketError('not_found');
      return review;
    },

    /** Lists the reviews of an agent that is shown to the viewer. Throws `not_found`. */
    async list(agentId: string, viewer: string | undefined, page: Page) {
      await requireShown(pool, agentId, viewer);
      return store.listReviews(pool, agentId, page);
    },

    /** Lists reviews of all agents of a developer, also of those that are not counted. */
    received: (developerUserId: string, page: Page) => store.listReceived(pool, developerUserId, page),

    /** The sums of the reviews of an agent that is shown to the viewer. Throws `not_found`. */
    async summary(agentId: string, viewer: string | undefined): Promise<ReviewSummary> {
      await requireShown(pool, agentId, viewer);
      return store.readSummary(pool, agentId);
    },

    /** Signed feedback files of an agent that is shown to the viewer. Throws `not_found`. */
    async feedback(agentId: string, viewer: string | undefined, page: Page) {
      await requireShown(pool, agentId, viewer);
      const { rows, total } = await store.listFeedback(pool, agentId, page);
      const key = await deps.keys.active();
      const signed = rows.map((facts) => {
        const file = feedbackFile(origin, facts);
        const signature = signJws(canonicalJson(file), key, { review_id: facts.reviewId });
        return { reviewId: facts.reviewId, file, signature };
      });
      return { rows: signed, total };
    },
  };
}

export type Reviews = ReturnType<typeof createReviews>;

/** A review as a record that others can verify. */
export interface SignedFeedback {
  reviewId: string;
  file: FeedbackFile;
  signature: string;
}

interface RemovalRequest {
  operatorUserId: string;
  reason: string;
  traceId: string | null;
}

function requireWritten(outcome: store.ReviewOutcome): void {
  if (outcome === 'written') return;
  if (outcome === 'not_found') throw new MarketError('not_found');
  if (outcome === 'related')
    throw new MarketError('forbidden', {
      message: 'Your account is related to the developer of this agent, so it cannot review it.',
    });
  throw new MarketError('invalid_state', { message: REFUSALS[outcome] });
}

async function reviewOf(db: Db, reviewId: string): Promise<Review> {
  const review = await store.readReview(db, reviewId);
  if (!review) throw new MarketError('not_found');
  return review;
}

async function requireShown(pool: DbPool, agentId: string, viewer: string | undefined): Promise<void> {
  if (!(await readShownAgent(pool, agentId, viewer))) throw new MarketError('not_found');
}

function notify(
  tx: Db,
  type: 'review.written' | 'review.answered' | 'review.removed',
  { reviewId, agentId, invocationId, rating }: Review,
  userId: string,
) {
  const data = { review_id: reviewId, agent_id: agentId, invocation_id: invocationId, rating };
  return recordEvent(tx, { type, data, audience: { userIds: [userId], agentId } });
}

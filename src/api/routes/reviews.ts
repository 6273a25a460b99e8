import {
  answerReview,
  getReview,
  getReviewSummary,
  listReceivedReviews,
  listReviewFeedback,
  listReviews,
  removeReview,
  writeReview,
} from '../../contract/reviews';
import type { Reviews } from '../../services/evidence/reviews';
import { Answer } from '../answers/answer';
import type { RouteBinder } from '../binding/route';
import { idPosition, listPage } from '../requests/list-page';
import { operatorRequestOf } from '../requests/operator-request';
import { feedbackView, ownReviewView, reviewSummaryView, reviewView } from '../views/documents/reviews';

export interface ReviewRouteDeps {
  reviews: Reviews;
}

const POSITION = idPosition('rev');

/** Reviews of paid calls, the answers of developers, and their removal by operators. */
export function reviewRoutes(binder: RouteBinder, { reviews }: ReviewRouteDeps): void {
  binder.bind(writeReview, async ({ params, body, principal }) => {
    const written = await reviews.write(principal.userId, params.invocation_id, body);
    return new Answer(ownReviewView(written), { status: 201 });
  });

  binder.bind(getReview, async ({ params, principal }) =>
    ownReviewView(await reviews.ofCall(principal.userId, params.invocation_id)),
  );

  binder.bind(listReviews, ({ params: { agent_id: agentId }, query, caller }) =>
    listPage(
      { list: ['reviews', agentId], position: POSITION, query },
      ([beforeId], limit) => reviews.list(agentId, caller?.userId, { limit, beforeId }),
      { position: ({ reviewId }) => [reviewId], view: reviewView },
    ),
  );

  binder.bind(getReviewSummary, async ({ params: { agent_id: agentId }, caller }) =>
    reviewSummaryView(agentId, await reviews.summary(agentId, caller?.userId)),
  );

  binder.bind(listReviewFeedback, ({ params: { agent_id: agentId }, query, caller }) =>
    listPage(
      { list: ['review-feedback', agentId], position: POSITION, query },
      ([beforeId], limit) => reviews.feedback(agentId, caller?.userId, { limit, beforeId }),
      { position: ({ reviewId }) => [reviewId], view: feedbackView },
    ),
  );

  binder.bind(listReceivedReviews, ({ query, principal: { userId } }) =>
    listPage(
      { list: ['received-reviews', userId], position: POSITION, query },
      ([beforeId], limit) => reviews.received(userId, { limit, beforeId }),
      { position: ({ reviewId }) => [reviewId], view: ownReviewView },
    ),
  );

  binder.bind(answerReview, async ({ params, body, principal }) =>
    ownReviewView(await reviews.answer(principal.userId, params.review_id, body.text)),
  );

  binder.bind(removeReview, async (input) =>
    ownReviewView(await reviews.remove(input.params.review_id, operatorRequestOf(input))),
  );
}

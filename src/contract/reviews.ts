import { Type } from '@sinclair/typebox';
import { AgentId, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { InvocationId } from './invocations';
import { defineOperation } from './operation';

const tag = 'Reviews';
const readers = { scope: 'agents:read', publicReads: true } as const;
const ReviewId = text({ maxLength: 40, pattern: '^rev_[0-9a-f]{32}$' });
const Words = (description: string) => text({ minLength: 1, maxLength: 1_000, pattern: '\\S', description });
const Rating = Type.Integer({ minimum: 1, maximum: 5, description: 'Stars, five for the best' });

const shown = {
  review_id: ReviewId,
  agent_id: AgentId,
  version: Type.String(),
  rating: Rating,
  text: Nullable(Type.String()),
  weight: Type.Integer({
    minimum: 1,
    maximum: 100,
    description: 'By what the call cost and by how many other developers the buyer had paid',
  }),
  created_at: Timestamp,
  answer: Nullable(Type.String({ description: 'Answer of the developer' })),
  answered_at: Nullable(Timestamp),
};
const Review = named('Review', strictObject(shown));
const OwnReview = named(
  'OwnReview',
  strictObject({
    ...shown,
    invocation_id: InvocationId,
    counted: Type.Boolean({
      description: 'False for a removed review, and once its buyer turned out to be related to the developer',
    }),
    removed_at: Nullable(Timestamp),
    removal_reason: Nullable(Type.String()),
  }),
);

const reviewExample = {
  review_id: 'rev_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  agent_id: 'agt_csv_profiler_v1',
  version: '1.2.0',
  rating: 4,
  text: 'Right columns; one date was read as text.',
  weight: 12,
  created_at: '2026-11-02T00:00:00.000Z',
  answer: null,
  answered_at: null,
  invocation_id: 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  counted: true,
  removed_at: null,
  removal_reason: null,
};

const Summary = named(
  'ReviewSummary',
  strictObject({
    agent_id: AgentId,
    average: Nullable(
      Type.Number({
        minimum: 1,
        maximum: 5,
        description: 'Mean of the ratings by their weights; null without any',
      }),
    ),
    buyers: Type.Integer({
      minimum: 0,
      description:
        'Unrelated buyers with a review. The newest of each counts, and accounts of one hand are one buyer.',
    }),
    distribution: Type.Array(Type.Integer({ minimum: 0 }), {
      description: 'How many buyers gave one star, two, three, four and five',
    }),
    changed_at: Nullable(Timestamp),
  }),
);

const Feedback = named(
  'ReviewFeedback',
  strictObject({
    review_id: ReviewId,
    feedback: Type.Object(
      {},
      { additionalProperties: true, description: 'Feedback file in the form of ERC-8004' },
    ),
    signature: Type.String({
      description: 'Compact JWS over the canonical JSON of `feedback`, by a key of `/.well-known/jwks.json`',
    }),
  }),
);

const ofCall = {
  path: '/v1/invocations/{invocation_id}/review',
  tag,
  auth: { scope: 'agents:invoke' },
  params: strictObject({ invocation_id: InvocationId }),
} as const;
const ofAgent = {
  method: 'get',
  tag,
  auth: readers,
  params: strictObject({ agent_id: AgentId }),
  errors: ['not_found'],
} as const;

export const writeReview = defineOperation({
  id: 'writeReview',
  method: 'post',
  ...ofCall,
  summary: 'Review one of your paid calls',
  description:
    'A call that succeeded and was charged has one review, within 30 days of its end. It is tied to the receipt of the call ' +
    'and does not change. An account that is related to the developer gets 403 `forbidden`: one with the same payment ' +
    'method, address, device or organisation, or one between which and the developer money flows in a circle.',
  body: strictObject({ rating: Rating, text: Type.Optional(Words('What others should know')) }),
  responses: { 201: OwnReview },
  errors: ['not_found', 'forbidden', 'invalid_state'],
  examples: { request: { rating: 4, text: reviewExample.text }, response: reviewExample },
});

export const getReview = defineOperation({
  id: 'getReview',
  method: 'get',
  ...ofCall,
  summary: 'Get the review of a call',
  description: 'For the buyer of the call and for the developer of its agent.',
  responses: { 200: OwnReview },
  errors: ['not_found'],
});

export const listReviews = defineOperation({
  id: 'listReviews',
  ...ofAgent,
  path: '/v1/agents/{agent_id}/reviews',
  summary: 'List the reviews of an agent, newest first',
  description: 'Each was written by a buyer who is not related to the developer and who paid for the call.',
  query: strictObject(pageQuery),
  responses: { 200: page(Review) },
});

export const getReviewSummary = defineOperation({
  id: 'getReviewSummary',
  ...ofAgent,
  path: '/v1/agents/{agent_id}/review-summary',
  summary: 'Get the average and the distribution of the ratings of an agent',
  responses: { 200: Summary },
});

export const listReviewFeedback = defineOperation({
  id: 'listReviewFeedback',
  ...ofAgent,
  path: '/v1/agents/{agent_id}/review-feedback',
  summary: 'Export the reviews of an agent as signed records, newest first',
  description:
    'Each record is a feedback file in the form of ERC-8004, signed by the market, so that the reputation of an agent can be ' +
    'shown elsewhere. `value` is 20 for each star. `market.receipt_sha256` is the SHA-256 of the receipt of the call.',
  query: strictObject(pageQuery),
  responses: { 200: page(Feedback) },
});

export const listReceivedReviews = defineOperation({
  id: 'listReceivedReviews',
  method: 'get',
  path: '/v1/developer/reviews',
  tag,
  summary: 'List the reviews of all your agents, newest first',
  auth: { scope: 'agents:publish' },
  roles: ['developer'],
  query: strictObject(pageQuery),
  responses: { 200: page(OwnReview) },
});

export const answerReview = defineOperation({
  id: 'answerReview',
  method: 'post',
  path: '/v1/developer/reviews/{review_id}/answer',
  tag,
  summary: 'Answer a review of one of your agents',
  description: 'Once; the answer is shown below the review and does not change.',
  auth: { scope: 'agents:publish' },
  roles: ['developer'],
  params: strictObject({ review_id: ReviewId }),
  body: strictObject({ text: Words('Your answer') }),
  responses: { 200: OwnReview },
  errors: ['not_found', 'invalid_state'],
  examples: { request: { text: 'Dates with two digits of a year are read since 1.2.1.' } },
});

export const removeReview = defineOperation({
  id: 'removeReview',
  method: 'post',
  path: '/v1/operator/reviews/{review_id}/remove',
  tag,
  summary: 'Remove a review',
  description: 'It is neither shown nor counted any more. Its buyer gets the reason; the audit log keeps it.',
  auth: 'session',
  roles: ['operator'],
  params: strictObject({ review_id: ReviewId }),
  body: strictObject({
    reason: text({
      minLength: 1,
      maxLength: 4_000,
      pattern: '\\S',
      description: 'For the buyer and the audit log',
    }),
  }),
  responses: { 200: OwnReview },
  errors: ['not_found', 'invalid_state'],
  examples: { request: { reason: 'It names a person.' } },
});

export const reviewOperations = [
  writeReview,
  getReview,
  listReviews,
  getReviewSummary,
  listReviewFeedback,
  listReceivedReviews,
  answerReview,
  removeReview,
];

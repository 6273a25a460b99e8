import { Type } from '@sinclair/typebox';
import { strictObject, text } from './common';
import { offerExample, Part } from './dispute-offers';
import { Dispute, disputeExample, params, Prose } from './disputes';
import { defineOperation } from './operation';

export const offerDisputeRefund = defineOperation({
  id: 'offerDisputeRefund',
  permission: 'agents',
  method: 'post',
  path: '/v1/billing/disputes/{dispute_id}/offer',
  tag: 'Disputes',
  summary: 'Offer to return a part of the charge',
  description:
    'For the developer of a contested dispute, at most ten times. A new offer replaces the open one. The buyer accepts or ' +
    'declines it; without an answer, it ends with the dispute, when the operator decides.',
  auth: 'session',
  params,
  body: strictObject({ refund_credits: Part, statement: Type.Optional(Prose) }),
  responses: { 200: Dispute },
  errors: ['not_found', 'forbidden', 'invalid_state', 'engine_unavailable'],
  examples: {
    request: { refund_credits: 2, statement: 'One of five columns was wrong.' },
    response: { ...disputeExample, role: 'developer', status: 'contested', offer: offerExample },
  },
});

export const answerDisputeOffer = defineOperation({
  id: 'answerDisputeOffer',
  method: 'post',
  path: '/v1/billing/disputes/{dispute_id}/offer/answer',
  tag: 'Disputes',
  summary: 'Accept or decline what a developer offers',
  description:
    'For the buyer. An accepted offer returns its part of the charge, or what is left of the charge if that is less, and ends ' +
    'the dispute: `accepted`, with the resolution `offer_accepted`. The call and its answer stay as they are. After a declined ' +
    'offer, the dispute stays contested.',
  auth: { scope: 'disputes:write' },
  params,
  body: strictObject({
    offer_id: text({ maxLength: 36, pattern: '^dof_[0-9a-f]{32}$', description: 'The open offer' }),
    decision: Type.Union([Type.Literal('accept'), Type.Literal('decline')]),
  }),
  responses: { 200: Dispute },
  errors: ['not_found', 'forbidden', 'invalid_state', 'engine_unavailable'],
  examples: {
    request: { offer_id: offerExample.offer_id, decision: 'accept' },
    response: {
      ...disputeExample,
      role: 'buyer',
      status: 'accepted',
      resolution: 'offer_accepted',
      refunded_credits: 2,
      offer: { ...offerExample, status: 'accepted', answered_at: '2026-11-04T08:00:00.000Z' },
      resolved_at: '2026-11-04T08:00:00.000Z',
    },
  },
});

export const disputeOfferOperations = [offerDisputeRefund, answerDisputeOffer];

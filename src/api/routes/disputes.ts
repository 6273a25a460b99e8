import { answerDisputeOffer, offerDisputeRefund } from '../../contract/dispute-offer-operations';
import {
  getDispute,
  getOperatorDispute,
  listDisputes,
  listOperatorDisputes,
  openDispute,
  resolveDispute,
  respondToDispute,
} from '../../contract/disputes';
import type { DisputeCases } from '../../engine/disputes';
import type { Dispute, Disputes } from '../../services/disputes/disputes';
import { idPosition, listPage } from '../requests/list-page';
import { disputeFactsView, disputeView, operatorDisputeView } from '../views/disputes';
import type { RouteBinder } from '../binding/route';

export interface DisputeRouteDeps {
  disputes: Disputes;
  disputeCases: DisputeCases;
}

const DISPUTE_POSITION = idPosition('dsp');

/** /v1/billing/disputes for both sides, /v1/operator/disputes for operators (contract, "Disputes"). */
export function disputeRoutes(binder: RouteBinder, deps: DisputeRouteDeps): void {
  routesOfSides(binder, deps);
  routesOfOperators(binder, deps);
}

function routesOfSides(binder: RouteBinder, { disputes, disputeCases }: DisputeRouteDeps): void {
  binder.bind(openDispute, async ({ body, principal, traceId }) => {
    const dispute = await disputeCases.open({
      buyerUserId: principal.userId,
      invocationId: body.invocation_id,
      reason: body.reason,
      description: body.description,
      ...(body.attachments && { attachments: body.attachments }),
      traceId,
      asOf: new Date(),
    });
    return disputeView(dispute, 'buyer');
  });

  binder.bind(listDisputes, ({ query, principal: { userId } }) => {
    const { role, status } = query;
    const filter = {
      buyerUserId: role === 'developer' ? undefined : userId,
      developerUserId: role === 'buyer' ? undefined : userId,
      statuses: status && [status],
    };
    const sideOf = ({ buyerUserId }: Dispute) => role ?? (buyerUserId === userId ? 'buyer' : 'developer');
    return listPage(
      { list: ['disputes', userId, role, status], position: DISPUTE_POSITION, query },
      ([beforeId], limit) => disputes.list({ ...filter, beforeId, limit }),
      { position: ({ disputeId }) => [disputeId], view: (dispute) => disputeView(dispute, sideOf(dispute)) },
    );
  });

  binder.bind(getDispute, async ({ params, principal }) => {
    const { dispute, side, ...facts } = await disputes.get(principal.userId, params.dispute_id);
    return { ...disputeView(dispute, side), ...disputeFactsView(facts) };
  });

  binder.bind(respondToDispute, async ({ params, body, principal }) => {
    const { refund_credits: refundCredits, ...answer } = body;
    const response = { ...answer, refundCredits, userId: principal.userId, disputeId: params.dispute_id };
    return disputeView(await disputeCases.respond(response), 'developer');
  });

  binder.bind(offerDisputeRefund, async ({ params, body, principal }) => {
    const { refund_credits: refundCredits, statement } = body;
    const offer = { refundCredits, statement, userId: principal.userId, disputeId: params.dispute_id };
    return disputeView(await disputeCases.offer(offer), 'developer');
  });

  binder.bind(answerDisputeOffer, async ({ params, body, principal }) => {
    const { offer_id: offerId, decision } = body;
    const answer = { offerId, decision, userId: principal.userId, disputeId: params.dispute_id };
    return disputeView(await disputeCases.answerOffer(answer), 'buyer');
  });
}

function routesOfOperators(binder: RouteBinder, { disputes, disputeCases }: DisputeRouteDeps): void {
  binder.bind(listOperatorDisputes, ({ query }) => {
    const { status, user_id: userId } = query;
    const undecided = userId === undefined ? (['open', 'contested'] as const) : undefined;
    const statuses = status === 'all' ? undefined : status ? [status] : undecided;
    const sides = { buyerUserId: userId, developerUserId: userId };
    return listPage(
      { list: ['operator-disputes', status, userId], position: DISPUTE_POSITION, query },
      ([beforeId], limit) => disputes.list({ ...sides, statuses, beforeId, limit }),
      { position: ({ disputeId }) => [disputeId], view: operatorDisputeView },
    );
  });

  binder.bind(getOperatorDispute, async ({ params }) => {
    const { dispute, ...facts } = await disputes.getAny(params.dispute_id);
    return { ...operatorDisputeView(dispute), ...disputeFactsView(facts) };
  });

  binder.bind(resolveDispute, async ({ params, body, principal }) => {
    const { refund_credits: refundCredits, ...decided } = body;
    const about = { operatorUserId: principal.userId, disputeId: params.dispute_id };
    const ruling = { ...decided, refundCredits, ...about };
    return operatorDisputeView(await disputeCases.resolve(ruling));
  });
}

import {
  getDispute,
  getOperatorDispute,
  listDisputes,
  listOperatorDisputes,
  openDispute,
  resolveDispute,
  respondToDispute,
} from '../../contract/disputes';
import { MarketError } from '../../domain/errors';
import { unitsToCredits } from '../../domain/ledger/money';
import type { DisputeCases } from '../../engine/disputes';
import { decodeCursor, encodeCursor } from '../../kit/ids/cursor';
import type { Dispute, Disputes, DisputeSide } from '../../services/disputes/disputes';
import type { RouteBinder } from '../binding/route';

export interface DisputeRouteDeps {
  disputes: Disputes;
  disputeCases: DisputeCases;
}

const DISPUTE_ID = /^dsp_[0-9a-f]{32}$/;
const DEFAULT_LIMIT = 20;

/** /v1/billing/disputes for both sides, /v1/operator/disputes for operators (contract, "Disputes"). */
export function disputeRoutes(binder: RouteBinder, deps: DisputeRouteDeps): void {
  routesOfSides(binder, deps);
  routesOfOperators(binder, deps);
}

function routesOfSides(binder: RouteBinder, { disputes, disputeCases }: DisputeRouteDeps): void {
  binder.bind(openDispute, async ({ body, principal, traceId }) => {
    const dispute = await disputes.open({
      buyerUserId: principal.userId,
      invocationId: body.invocation_id,
      reason: body.reason,
      description: body.description,
      traceId,
      asOf: new Date(),
    });
    if (dispute.status === 'open') await disputeCases.start(dispute);
    return toView(dispute, 'buyer');
  });

  binder.bind(listDisputes, ({ query, principal: { userId } }) =>
    listPage(['disputes', userId, query.role, query.status], query, async (beforeId, limit) => {
      const { rows, total } = await disputes.list({
        buyerUserId: query.role === 'developer' ? undefined : userId,
        developerUserId: query.role === 'buyer' ? undefined : userId,
        statuses: query.status && [query.status],
        beforeId,
        limit,
      });
      const sideOf = (dispute: Dispute): DisputeSide =>
        query.role ?? (dispute.buyerUserId === userId ? 'buyer' : 'developer');
      return { rows, total, view: (dispute) => toView(dispute, sideOf(dispute)) };
    }),
  );

  binder.bind(getDispute, async ({ params, principal }) => {
    const { dispute, side } = await disputes.get(principal.userId, params.dispute_id);
    return toView(dispute, side);
  });

  binder.bind(respondToDispute, async ({ params, body, principal }) => {
    const { decision, statement } = body;
    const { dispute, textId } = await disputes.prepareResponse(
      principal.userId,
      params.dispute_id,
      statement,
    );
    await disputeCases.respond(dispute, { decision, textId }, statement);
    return toView(await disputes.read(dispute.disputeId), 'developer');
  });
}

function routesOfOperators(binder: RouteBinder, { disputes, disputeCases }: DisputeRouteDeps): void {
  binder.bind(listOperatorDisputes, ({ query }) =>
    listPage(['operator-disputes', query.status], query, async (beforeId, limit) => {
      const statuses = query.status ? [query.status] : (['open', 'contested'] as const);
      return { ...(await disputes.list({ statuses, beforeId, limit })), view: toOperatorView };
    }),
  );

  binder.bind(getOperatorDispute, async ({ params }) =>
    toOperatorView(await disputes.read(params.dispute_id)),
  );

  binder.bind(resolveDispute, async ({ params, body, principal }) => {
    const { decision, reason } = body;
    const operatorUserId = principal.userId;
    const { dispute, textId } = await disputes.prepareRuling(operatorUserId, params.dispute_id, reason);
    await disputeCases.resolve(dispute, { decision, textId, operatorUserId }, reason);
    return toOperatorView(await disputes.read(dispute.disputeId));
  });
}

interface Found<View> {
  rows: Dispute[];
  total: number;
  view: (dispute: Dispute) => View;
}

async function listPage<View>(
  scopeParts: readonly (string | undefined)[],
  query: { limit?: number; cursor?: string },
  find: (beforeId: string | undefined, limit: number) => Promise<Found<View>>,
) {
  const scope = scopeParts.join('/');
  const limit = query.limit ?? DEFAULT_LIMIT;
  const { rows, total, view } = await find(positionOf(scope, query.cursor), limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next_cursor = rows.length > limit && last ? encodeCursor(scope, [last.disputeId]) : null;
  return { items: shown.map(view), next_cursor, total };
}

function positionOf(scope: string, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(scope, cursor, [DISPUTE_ID]);
  if (position) return position[0];
  const detail = [{ loc: ['query', 'cursor'], msg: 'is not a cursor of this list', type: 'cursor' }];
  throw new MarketError('validation_failed', { detail });
}

function toFields(dispute: Dispute) {
  return {
    dispute_id: dispute.disputeId,
    invocation_id: dispute.invocationId,
    agent_id: dispute.agentId,
    status: dispute.status,
    resolution: dispute.resolution,
    reason: dispute.reason,
    description: dispute.description,
    statement: dispute.statement,
    decision_reason: dispute.decisionReason,
    refunded_credits: unitsToCredits(dispute.refundedUnits),
    opened_at: dispute.openedAt.toISOString(),
    respond_by: dispute.respondBy?.toISOString() ?? null,
    responded_at: dispute.respondedAt?.toISOString() ?? null,
    resolved_at: dispute.resolvedAt?.toISOString() ?? null,
  };
}

function toView(dispute: Dispute, role: DisputeSide) {
  return { ...toFields(dispute), role };
}

function toOperatorView(dispute: Dispute) {
  return {
    ...toFields(dispute),
    buyer_user_id: dispute.buyerUserId,
    developer_user_id: dispute.developerUserId,
    resolved_by: dispute.resolvedBy,
  };
}

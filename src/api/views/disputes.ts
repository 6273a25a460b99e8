import { unitsToCredits } from '../../domain/ledger/money';
import type { Dispute, DisputeSide } from '../../services/disputes/disputes';

export function disputeView(dispute: Dispute, role: DisputeSide) {
  return { ...fieldsOf(dispute), role };
}

export function operatorDisputeView(dispute: Dispute) {
  return {
    ...fieldsOf(dispute),
    buyer_user_id: dispute.buyerUserId,
    developer_user_id: dispute.developerUserId,
    resolved_by: dispute.resolvedBy,
  };
}

function fieldsOf(dispute: Dispute) {
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

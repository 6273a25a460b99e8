import { unitsToCredits } from '../../domain/ledger/money';
import type { Dispute, DisputedCall, DisputeOfSide, DisputeSide } from '../../services/disputes/disputes';

export function disputeView(dispute: Dispute, role: DisputeSide) {
  return { ...fieldsOf(dispute), role };
}

/** The facts of the call, and what the buyer attached. */
export function disputeFactsView({ call, attachments }: Pick<DisputeOfSide, 'call' | 'attachments'>) {
  return { call: callFactsView(call), attachments };
}

/** A settled answer matched the schema, unless it was truncated or the agent has none. */
export function callFactsView(call: DisputedCall) {
  const isChecked = call.hasSchemas && call.truncatedBy === null && call.outputSha256 !== null;
  return {
    version: call.version,
    surface: call.surface,
    invoked_at: call.invokedAt.toISOString(),
    settled_at: call.settledAt?.toISOString() ?? null,
    duration_ms: call.durationMs,
    tokens_in: call.tokensIn,
    tokens_out: call.tokensOut,
    input_sha256: call.inputSha256,
    output_sha256: call.outputSha256,
    ...(call.answers && { answers: call.answers }),
    input_bytes: call.inputBytes,
    output_bytes: call.outputBytes,
    schema_valid: isChecked ? true : null,
    truncated_by: call.truncatedBy,
    credits_charged: unitsToCredits(call.chargedUnits),
  };
}

export function operatorDisputeView(dispute: Dispute) {
  return {
    ...fieldsOf(dispute),
    buyer_user_id: dispute.buyerUserId,
    developer_user_id: dispute.developerUserId,
    resolved_by: dispute.resolvedBy,
    charged_credits: dispute.chargedUnits === null ? null : unitsToCredits(dispute.chargedUnits),
  };
}

function fieldsOf(dispute: Dispute) {
  return {
    dispute_id: dispute.disputeId,
    invocation_id: dispute.invocationId,
    agent_id: dispute.agentId,
    agent_name: dispute.agentName,
    status: dispute.status,
    resolution: dispute.resolution,
    reason: dispute.reason,
    description: dispute.description,
    statement: dispute.statement,
    decision_reason: dispute.decisionReason,
    offer: dispute.offer && offerView(dispute.offer),
    refunded_credits: unitsToCredits(dispute.refundedUnits),
    opened_at: dispute.openedAt.toISOString(),
    respond_by: dispute.respondBy?.toISOString() ?? null,
    responded_at: dispute.respondedAt?.toISOString() ?? null,
    resolved_at: dispute.resolvedAt?.toISOString() ?? null,
  };
}

function offerView(offer: NonNullable<Dispute['offer']>) {
  return {
    offer_id: offer.offerId,
    refund_credits: unitsToCredits(offer.units),
    status: offer.status,
    statement: offer.statement,
    offered_at: offer.offeredAt.toISOString(),
    answered_at: offer.answeredAt?.toISOString() ?? null,
  };
}

import { unitsToCredits } from '../../domain/ledger/money';
import type { Slash } from '../../services/bonds/slashes';
import { secondsUntil } from './bonds';

export function slashView(slash: Slash) {
  return {
    slash_id: slash.slashId,
    agent_id: slash.agentId,
    status: slash.status,
    resolution: slash.resolution,
    credits: unitsToCredits(slash.amountUnits),
    requested_credits: unitsToCredits(slash.requestedUnits),
    refund: slash.refund,
    explanation: slash.explanation,
    evidence: slash.evidence,
    calls: slash.calls.map(({ invocationId, refundUnits }) => ({
      invocation_id: invocationId,
      refunded_credits: refundUnits === null ? null : unitsToCredits(refundUnits),
    })),
    buyers: slash.buyers,
    counter_argument:
      slash.counteredAt === null
        ? null
        : {
            statement: slash.statement ?? '',
            evidence: slash.counterEvidence,
            created_at: slash.counteredAt.toISOString(),
          },
    decision_reason: slash.decisionReason,
    applied_at: slash.appliedAt.toISOString(),
    counter_by: slash.counterBy.toISOString(),
    resolved_at: slash.resolvedAt?.toISOString() ?? null,
    top_up_by: slash.topUpBy?.toISOString() ?? null,
    remaining_seconds: remainingSeconds(slash),
  };
}

export function operatorSlashView(slash: Slash) {
  return {
    ...slashView(slash),
    developer_user_id: slash.developerUserId,
    applied_by: slash.appliedBy,
    resolved_by: slash.resolvedBy,
  };
}

/** Seconds until the current deadline of a slash. Its recorded state, not the clock, decides which deadline that is. */
function remainingSeconds({ status, counterBy, topUpBy, awaitsTopUp }: Slash): number | null {
  if (status === 'applied') return secondsUntil(counterBy);
  return awaitsTopUp && topUpBy ? secondsUntil(topUpBy) : null;
}

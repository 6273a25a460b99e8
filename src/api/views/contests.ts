import type { Contest } from '../../services/verification/contests';
import type { Waiver } from '../../services/verification/waivers';

export function contestView(row: Contest) {
  return {
    contest_id: row.contestId,
    agent_id: row.agentId,
    finding_id: row.findingId,
    developer_user_id: row.developerUserId,
    severity: row.severity,
    category: row.category,
    description: row.description,
    finding_status: row.findingStatus,
    status: row.status,
    statement: row.statement,
    opened_at: row.openedAt.toISOString(),
    decided_at: row.decidedAt?.toISOString() ?? null,
    decision_reason: row.decisionReason,
    waiver_id: row.waiverId,
  };
}

export function operatorContestView(row: Contest) {
  return { ...contestView(row), decided_by: row.decidedBy };
}

export function waiverView(row: Waiver) {
  return {
    waiver_id: row.waiverId,
    agent_id: row.agentId,
    finding_id: row.findingId,
    severity: row.severity,
    category: row.category,
    description: row.description,
    reason: row.reason,
    granted_by: row.grantedBy,
    granted_at: row.grantedAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    ended_by: row.endedBy,
    end_reason: row.endReason,
  };
}

import { unitsToCredits } from '../../../domain/ledger/money';
import type { AccountStanding, AgentRow, DigestRow, OperatorActionRow } from '../../../services/operations/operators';

export function accountStandingView(account: AccountStanding) {
  return {
    user_id: account.userId,
    email: account.email,
    role: account.role,
    wallet_frozen: account.frozenSince !== null,
    frozen_since: account.frozenSince?.toISOString() ?? null,
    debt_credits: unitsToCredits(account.debtUnits),
  };
}

export function operatorAgentView(agent: AgentRow) {
  return {
    agent_id: agent.agentId,
    developer_user_id: agent.developerUserId,
    status: agent.status,
    listed: agent.listed,
    badge: agent.badge,
    trust_score: agent.trustScore,
    created_at: agent.createdAt.toISOString(),
  };
}

export function ledgerDigestView(row: DigestRow) {
  return {
    day: row.day,
    transactions: row.transactions,
    entries: row.entries,
    moved_credits: unitsToCredits(row.creditsUnits),
    entries_sha256: row.entriesSha256,
    previous_sha256: row.previousSha256,
    digest_sha256: row.digestSha256,
    seal: row.seal,
    sealed_at: row.sealedAt.toISOString(),
  };
}

export function operatorActionView(row: OperatorActionRow) {
  return {
    action_id: row.actionId,
    operator_user_id: row.operatorUserId,
    run_by: row.runBy,
    action: row.action,
    subject: row.subject,
    reason: row.reason,
    details: row.details,
    trace_id: row.traceId,
    created_at: row.createdAt.toISOString(),
  };
}

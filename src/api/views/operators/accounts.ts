import { unitsToCredits } from '../../../domain/ledger/money';
import type { AccountInList, AccountStanding } from '../../../services/operations/operator-accounts';
import type {
  AgentInList,
  AgentRow,
  CallInList,
  DigestRow,
  OperatorActionRow,
} from '../../../services/operations/operators';

export function accountInListView(account: AccountInList) {
  return {
    user_id: account.userId,
    email: account.email,
    display_name: account.displayName,
    developer_id: account.developerId,
    role: account.role,
    email_confirmed: account.emailConfirmed,
    wallet_frozen: account.frozen,
    created_at: account.createdAt.toISOString(),
  };
}

export function accountStandingView(account: AccountStanding) {
  const { balances } = account;
  return {
    ...accountInListView(account),
    second_factor: account.hasAuthenticator,
    frozen_since: account.frozenSince?.toISOString() ?? null,
    debt_credits: unitsToCredits(account.debtUnits),
    balances: {
      wallet_credits: unitsToCredits(balances.wallet),
      escrow_credits: unitsToCredits(balances.escrow),
      payable_credits: unitsToCredits(balances.payable),
      bond_credits: unitsToCredits(balances.bond),
      slash_hold_credits: unitsToCredits(balances.slash_hold),
    },
  };
}

export function callInListView(call: CallInList) {
  return {
    invocation_id: call.invocationId,
    buyer_user_id: call.buyerUserId,
    agent_id: call.agentId,
    version: call.version,
    surface: call.surface,
    status: call.status,
    error_code: call.errorCode,
    duration_ms: call.durationMs,
    charged_credits: unitsToCredits(call.chargedUnits),
    invoked_at: call.invokedAt.toISOString(),
  };
}

type AnyAgent = Pick<
  AgentRow,
  'agentId' | 'developerUserId' | 'status' | 'listed' | 'badge' | 'trustScore' | 'createdAt'
>;

export const agentInListView = (agent: AgentInList) => ({
  ...operatorAgentView(agent),
  display_name: agent.displayName,
});

export function operatorAgentView(agent: AnyAgent) {
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
    operator_name: row.operatorName,
    operator_email: row.operatorEmail,
    run_by: row.runBy,
    action: row.action,
    subject: row.subject,
    reason: row.reason,
    details: row.details,
    trace_id: row.traceId,
    created_at: row.createdAt.toISOString(),
  };
}

import { noticeText, subjectOfNotice } from '../../domain/webhooks/account-notice';
import type { AccountNotice } from '../../services/operations/account-notices';
import type { Static } from '@sinclair/typebox';
import type { Profile } from '../../contract/common';
import { permissionsOf } from '../../domain/accounts/roles';
import { unitsToCredits } from '../../domain/ledger/money';
import type { Account, AccountsService } from '../../services/accounts/accounts';
import type { ChosenOwner, SessionView } from '../../services/accounts/session-list';
import type {
  InvitationRow,
  LoggedEntry,
  MemberBudget,
  MemberRow,
  Organisation,
  OrganisationRules,
} from '../../services/organisations/organisations';
import type { ApiKey, IssuedKey, SpendingLimits } from '../../services/accounts/api-keys';

export function profileView(account: Account): Static<typeof Profile> {
  return {
    user_id: account.userId,
    email: account.email,
    displayName: account.displayName,
    role: account.role,
    developer_id: account.developerId,
    registration_paid: account.registrationPaid,
    time_zone: account.timeZone,
    created_at: account.createdAt.toISOString(),
  };
}

/** The organisation for which a session acts. `account`: its account; null for a person who is no member any more. */
export function actingForView({ ownerId, owner, refused }: ChosenOwner, account: Account | null) {
  const role = owner?.memberRole ?? null;
  return {
    owner_id: ownerId,
    refused,
    member_role: role,
    permissions: role === null ? [] : permissionsOf(role),
    account: account && {
      name: account.displayName,
      role: account.role,
      developer_id: account.developerId,
      registration_paid: account.registrationPaid,
      created_at: account.createdAt.toISOString(),
    },
  };
}

/** The limits of a key or a grant. */
export function limitsView({ creditCapUnits: cap, callCapUnits: callCap, ...key }: SpendingLimits) {
  return {
    credit_cap: cap === null ? null : unitsToCredits(cap),
    credit_cap_window: key.capWindow,
    used_credits: unitsToCredits(key.usedUnits),
    window_ends_at: key.windowEndsAt?.toISOString() ?? null,
    time_zone: key.timeZone,
    call_cap: callCap === null ? null : unitsToCredits(callCap),
    min_trust_score: key.leastTrust,
    agents: key.onlyAgents && [...key.onlyAgents],
  };
}

export function keyView(key: ApiKey) {
  return {
    key_id: key.keyId,
    name: key.name,
    key_hint: key.hint,
    scopes: key.scopes,
    ...limitsView(key.limits),
    spent_credits: unitsToCredits(key.spentUnits),
    expires_at: key.expiresAt?.toISOString() ?? null,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    parent_key_id: key.parentKeyId,
    ...(key.rates && { rate_limits: keyRatesView(key.rates) }),
  };
}

function keyRatesView({ requests, invocations }: NonNullable<ApiKey['rates']>) {
  return {
    requests: { per_minute: requests.perMinute, used: requests.used },
    invocations: { per_minute: invocations.perMinute, used: invocations.used },
  };
}

/** A new or rotated key with its secret, which no other response contains. */
export function issuedKeyView(issued: IssuedKey) {
  return { ...keyView(issued), key: issued.key };
}

export function freezeView({
  since,
  cause,
  owedUnits,
}: NonNullable<Awaited<ReturnType<AccountsService['freeze']>>>) {
  return { since: since.toISOString(), cause, owed_credits: unitsToCredits(owedUnits) };
}

export function sessionView(session: SessionView) {
  return {
    session_id: session.sessionId,
    current: session.isCurrent,
    started_at: session.startedAt?.toISOString() ?? null,
    expires_at: session.expiresAt.toISOString(),
    user_agent: session.userAgent,
    network: session.network,
  };
}

export function accountNoticeView({ noticeId, type, data, at, isRead }: AccountNotice) {
  return {
    notice_id: noticeId,
    type,
    message: noticeText(type, data),
    subject_id: subjectOfNotice(data),
    read: isRead,
    created_at: at.toISOString(),
  };
}

export function organisationView(org: Organisation) {
  return {
    org_id: org.orgId,
    name: org.name,
    role: org.role,
    permissions: permissionsOf(org.role),
    developer_id: org.developerId,
    require_second_factor: org.requireSecondFactor,
    time_zone: org.timeZone,
    created_at: org.createdAt.toISOString(),
  };
}

export function memberView(member: MemberRow & { seesBudget: boolean }) {
  return {
    user_id: member.userId,
    name: member.displayName,
    email: member.email,
    role: member.role,
    authenticator: member.hasAuthenticator,
    joined_at: member.joinedAt.toISOString(),
    ...(member.seesBudget && { budget: member.budget && memberBudgetView(member.budget) }),
  };
}

export function memberBudgetView(budget: MemberBudget) {
  return {
    budget_id: budget.budgetId,
    credits: unitsToCredits(budget.capUnits),
    window: budget.capWindow,
    used_credits: unitsToCredits(budget.usedUnits),
    left_credits: unitsToCredits(Math.max(0, budget.capUnits - budget.usedUnits)),
    window_ends_at: budget.windowEndsAt?.toISOString() ?? null,
    time_zone: budget.timeZone,
    created_at: budget.createdAt.toISOString(),
  };
}

export const memberSpendingView = (userId: string, budget: MemberBudget | null) => ({
  user_id: userId,
  budget: budget && memberBudgetView(budget),
});

export const rulesView = ({ leastTrust, agents, developers }: OrganisationRules) => ({
  min_trust_score: leastTrust,
  agents,
  developers,
});

export function invitationView(invitation: InvitationRow) {
  return {
    invitation_id: invitation.invitationId,
    email: invitation.email,
    role: invitation.role,
    created_at: invitation.createdAt.toISOString(),
    expires_at: invitation.expiresAt.toISOString(),
  };
}

export function logEntryView(entry: LoggedEntry) {
  return {
    log_id: entry.entryId,
    at: entry.createdAt.toISOString(),
    user_id: entry.person,
    name: entry.name,
    email: entry.email,
    key_id: entry.keyId,
    operation: entry.action,
    outcome: entry.outcome,
    subject: entry.subject,
    network: entry.network,
    trace_id: entry.traceId,
  };
}

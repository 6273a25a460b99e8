import { BOND_TIERS, TIER_MINIMUM_UNITS } from '../../domain/bonds/bond';
import { DEVELOPER_NOTICES } from '../../domain/bonds/developer-notice';
import { unitsToCredits } from '../../domain/ledger/money';
import type { Bonds, BondView, Withdrawal } from '../../services/bonds/bonds';

type Notice = Awaited<ReturnType<Bonds['notices']>>['rows'][number];

export function bondView({ bondUnits, heldUnits, tier, shortfall, withdrawals }: BondView) {
  return {
    bond_credits: unitsToCredits(bondUnits),
    slash_hold_credits: unitsToCredits(heldUnits),
    tier,
    tiers: BOND_TIERS.map((name) => ({
      tier: name,
      minimum_credits: unitsToCredits(TIER_MINIMUM_UNITS[name]),
    })),
    shortfall: shortfall && {
      slash_id: shortfall.slashId,
      minimum_credits: unitsToCredits(shortfall.minimumUnits),
      missing_credits: unitsToCredits(Math.max(0, shortfall.minimumUnits - bondUnits)),
      since: shortfall.since.toISOString(),
      top_up_by: shortfall.topUpBy.toISOString(),
      remaining_seconds: shortfall.endedAt ? 0 : secondsUntil(shortfall.topUpBy),
      delisted: shortfall.endedAt !== null,
    },
    withdrawals: withdrawals.map(withdrawalView),
  };
}

export function withdrawalView(withdrawal: Withdrawal) {
  return {
    withdrawal_id: withdrawal.withdrawalId,
    status: withdrawal.status,
    credits: unitsToCredits(withdrawal.requestedUnits),
    paid_credits: withdrawal.paidUnits === null ? null : unitsToCredits(withdrawal.paidUnits),
    requested_at: withdrawal.requestedAt.toISOString(),
    due_at: withdrawal.dueAt.toISOString(),
    completed_at: withdrawal.completedAt?.toISOString() ?? null,
  };
}

export function developerNoticeView(notice: Notice) {
  return {
    notice_id: notice.noticeId,
    code: notice.kind,
    message: DEVELOPER_NOTICES[notice.kind],
    slash_id: notice.slashId,
    agent_id: notice.agentId,
    data: notice.data,
    created_at: notice.at.toISOString(),
  };
}

/** Whole seconds until a deadline, for display. A deadline ends when the service records its end, not at 0. */
export function secondsUntil(deadline: Date): number {
  return Math.max(0, Math.ceil((deadline.getTime() - Date.now()) / 1_000));
}

import { depositBond, getBond, listDeveloperNotices, withdrawBond } from '../../contract/bonds';
import { BOND_TIERS, TIER_MINIMUM_UNITS } from '../../domain/bonds/bond';
import { DEVELOPER_NOTICES } from '../../domain/bonds/developer-notice';
import { MarketError } from '../../domain/errors';
import { unitsToCredits } from '../../domain/ledger/money';
import type { BondCases } from '../../engine/bonds';
import { decodeCursor, encodeCursor } from '../../kit/ids/cursor';
import type { Bonds, BondView, Withdrawal } from '../../services/bonds/bonds';
import { secondsUntil, unitsOf } from '../requests/amounts';
import { idempotencyKeyOf } from '../requests/idempotency-key';
import { Answer, type RouteBinder } from '../binding/route';

export interface BondRouteDeps {
  bonds: Bonds;
  bondCases: BondCases;
}

const DEFAULT_LIMIT = 20;
const POSITION = [/^ntc_[0-9a-f]{32}$/];

/** /v1/billing/developer/bond and what developers are told (contract, "Bonds and slashing"). */
export function bondRoutes(binder: RouteBinder, { bonds, bondCases }: BondRouteDeps): void {
  binder.bind(getBond, async ({ principal }) => toView(await bonds.read(principal.userId)));

  binder.bind(depositBond, async ({ body, principal: { userId }, traceId, req }) => {
    const idempotencyKey = idempotencyKeyOf(req, undefined) ?? null;
    const asOf = new Date();
    const { bond, replayed } = await bonds.deposit({
      userId,
      units: unitsOf(body),
      idempotencyKey,
      traceId,
      asOf,
    });
    return new Answer(toView(bond), replayed ? { headers: { 'Idempotent-Replayed': 'true' } } : {});
  });

  binder.bind(withdrawBond, async ({ body, principal: { userId }, traceId }) => {
    const withdrawal = await bonds.withdraw({ userId, units: unitsOf(body), traceId, asOf: new Date() });
    await bondCases.startWithdrawal(withdrawal);
    return toWithdrawal(withdrawal);
  });

  binder.bind(listDeveloperNotices, async ({ query, principal: { userId } }) => {
    const scope = `developer-notices/${userId}`;
    const limit = query.limit ?? DEFAULT_LIMIT;
    const beforeId = positionOf(scope, query.cursor);
    const { rows, total } = await bonds.notices(userId, { limit: limit + 1, beforeId });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      items: shown.map((notice) => ({
        notice_id: notice.noticeId,
        code: notice.kind,
        message: DEVELOPER_NOTICES[notice.kind],
        slash_id: notice.slashId,
        agent_id: notice.agentId,
        data: notice.data,
        created_at: notice.at.toISOString(),
      })),
      next_cursor: last ? encodeCursor(scope, [last.noticeId]) : null,
      total,
    };
  });
}

function positionOf(scope: string, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(scope, cursor, POSITION);
  if (position) return position[0];
  const detail = [{ loc: ['query', 'cursor'], msg: 'is not a cursor of this list', type: 'cursor' }];
  throw new MarketError('validation_failed', { detail });
}

function toView({ bondUnits, heldUnits, tier, shortfall, withdrawals }: BondView) {
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
    withdrawals: withdrawals.map(toWithdrawal),
  };
}

function toWithdrawal(withdrawal: Withdrawal) {
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

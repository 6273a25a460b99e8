/**
 * Budgets of the members of organisations (`migrations/0164_member_budgets.sql`). A SQL function writes them, under the
 * lock of the wallet.
 */
import type { CapWindow } from '../../domain/accounts/oauth-grant';
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';

export interface MemberBudget {
  budgetId: string;
  capUnits: number;
  capWindow: CapWindow;
  /** Charged in the window, and held for calls in flight. */
  usedUnits: number;
  /** Null for a budget over a lifetime. */
  windowEndsAt: Date | null;
  /** That of the organisation, in which days, weeks and months begin. */
  timeZone: string;
  createdAt: Date;
}

export interface RawMemberBudget {
  budget_id: string | null;
  cap_units: string | null;
  cap_window: CapWindow | null;
  used_units: string | null;
  window_ends_at: Date | null;
  time_zone: string | null;
  budget_created_at: Date | null;
}

/** The columns that `toMemberBudget` reads, of the member `m`, with the join that has them. */
export const MEMBER_BUDGET = `b.budget_id, b.cap_units, b.cap_window, b.created_at AS budget_created_at, b.used_units,
  b.window_ends_at, b.time_zone`;
export const WITH_BUDGET = 'LEFT JOIN LATERAL member_budget_of(m.org_id, m.user_id) b ON true';

/** Null for a member without a budget. */
export function toMemberBudget(row: RawMemberBudget): MemberBudget | null {
  const { budget_id: budgetId, cap_units: cap, cap_window: capWindow, budget_created_at: createdAt } = row;
  if (budgetId === null || cap === null || capWindow === null || createdAt === null) return null;
  return {
    budgetId,
    capUnits: unitsFromDatabase(cap),
    capWindow,
    usedUnits: unitsFromDatabase(row.used_units ?? '0'),
    windowEndsAt: row.window_ends_at,
    timeZone: row.time_zone ?? 'UTC',
    createdAt,
  };
}

/** Sets the budget of a member; with null units, removes it. False without such a member or budget. */
export async function setMemberBudget(
  tx: Db,
  wish: { orgId: string; userId: string; budgetId: string; capUnits: number | null; capWindow: CapWindow },
): Promise<boolean> {
  const { rows } = await tx.query<{ done: boolean }>('SELECT member_budget_set($1, $2, $3, $4, $5) AS done', [
    wish.orgId,
    wish.userId,
    wish.budgetId,
    wish.capUnits,
    wish.capWindow,
  ]);
  return rows[0]?.done === true;
}

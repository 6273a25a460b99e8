/** Budgets of accounts (`migrations/0122_budgets.sql`). SQL functions write them, under the lock of the wallet. */
import type { CapWindow } from '../../domain/accounts/oauth-grant';
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';

export interface BudgetRow {
  budgetId: string;
  /** A pair of metadata; null: all calls of the account. */
  tag: string | null;
  capUnits: number;
  capWindow: CapWindow;
  /** Charged in the window, and held for calls in flight. */
  usedUnits: number;
  /** Null for a budget over a lifetime. */
  windowEndsAt: Date | null;
  timeZone: string;
  createdAt: Date;
}

interface RawBudget {
  budget_id: string;
  tag: string | null;
  cap_units: string;
  cap_window: CapWindow;
  used_units: string;
  window_ends_at: Date | null;
  time_zone: string;
  created_at: Date;
}

const BUDGETS = `SELECT b.budget_id, b.tag, b.cap_units, b.cap_window, b.created_at, u.time_zone,
    budget_used(b, greatest(now(), b.window_began_at)) AS used_units, budget_window_end_of(b, now()) AS window_ends_at
  FROM budgets b JOIN users u USING (user_id) WHERE b.user_id = $1 AND b.member_user_id IS NULL`;

/** Lists the budgets of an account, not those of members, newest first. `beforeId`: only budgets before this id. */
export async function listBudgets(
  db: Db,
  userId: string,
  page: { limit: number; beforeId?: string | undefined },
): Promise<{ rows: BudgetRow[]; total: number }> {
  const { rows } = await db.query<RawBudget>(
    `${BUDGETS} AND ($2::text IS NULL OR b.budget_id < $2) ORDER BY b.budget_id DESC LIMIT $3`,
    [userId, page.beforeId ?? null, page.limit],
  );
  const total = await db.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM budgets WHERE user_id = $1 AND member_user_id IS NULL',
    [userId],
  );
  return { rows: rows.map(toBudget), total: total.rows[0]?.n ?? 0 };
}

export async function readBudget(db: Db, userId: string, budgetId: string): Promise<BudgetRow | undefined> {
  const { rows } = await db.query<RawBudget>(`${BUDGETS} AND b.budget_id = $2`, [userId, budgetId]);
  return rows[0] && toBudget(rows[0]);
}

export interface NewBudget {
  budgetId: string;
  userId: string;
  tag: string | null;
  capUnits: number;
  capWindow: CapWindow;
}

/** Adds a budget, which counts the calls that are accepted from now on. */
export async function addBudget(db: Db, budget: NewBudget): Promise<'added' | 'too_many' | 'exists'> {
  const { rows } = await db.query<{ outcome: 'added' | 'too_many' | 'exists' }>(
    'SELECT budget_add($1, $2, $3, $4, $5) AS outcome',
    [budget.userId, budget.budgetId, budget.tag, budget.capUnits, budget.capWindow],
  );
  return rows[0]?.outcome ?? 'exists';
}

/** Changes the credits of a budget; null deletes it. False if the account has no such budget. */
export async function changeBudget(
  db: Db,
  userId: string,
  budgetId: string,
  capUnits: number | null,
): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>('SELECT budget_change($1, $2, $3) AS found', [
    userId,
    budgetId,
    capUnits,
  ]);
  return rows[0]?.found === true;
}

function toBudget(row: RawBudget): BudgetRow {
  return {
    budgetId: row.budget_id,
    tag: row.tag,
    capUnits: unitsFromDatabase(row.cap_units),
    capWindow: row.cap_window,
    usedUnits: unitsFromDatabase(row.used_units),
    windowEndsAt: row.window_ends_at,
    timeZone: row.time_zone,
    createdAt: row.created_at,
  };
}

/** Budgets of an account: what its calls, or those with a pair of metadata, may cost in a window (ADR 0294). */
import type { CapWindow } from '../../domain/accounts/oauth-grant';
import { MarketError } from '../../domain/errors';
import { creditsToUnits } from '../../domain/ledger/money';
import { newId } from '../../kit/ids/ids';
import {
  addBudget,
  type BudgetRow,
  changeBudget,
  listBudgets,
  readBudget,
} from '../../stores/billing/budgets';
import type { Db } from '../../stores/db';

export type Budget = BudgetRow;

export interface BudgetWish {
  /** A pair of metadata, such as `project=atlas`; null: all calls of the account. */
  tag: string | null;
  credits: number;
  window: CapWindow;
}

const REFUSALS = {
  too_many: 'An account has at most 20 budgets. Delete one that you no longer need.',
  exists: 'There is a budget for these calls and this window. Change its credits instead.',
} as const;

export function createBudgets(pool: Db) {
  async function found(userId: string, budgetId: string): Promise<Budget> {
    const budget = await readBudget(pool, userId, budgetId);
    if (!budget) throw new MarketError('not_found');
    return budget;
  }
  return {
    /** The budgets of an account, newest first. */
    budgets: (userId: string, page: { limit: number; beforeId?: string | undefined }) =>
      listBudgets(pool, userId, page),

    /** Adds a budget. Throws `invalid_state` for too many, and for a second one for the same calls and window. */
    async addBudget(userId: string, { tag, credits, window }: BudgetWish): Promise<Budget> {
      const budgetId = newId('bgt');
      const outcome = await addBudget(pool, {
        budgetId,
        userId,
        tag,
        capUnits: creditsToUnits(credits),
        capWindow: window,
      });
      if (outcome !== 'added') throw new MarketError('invalid_state', { message: REFUSALS[outcome] });
      return found(userId, budgetId);
    },

    /** Changes the credits of a budget, from the next call on. Throws `not_found`. */
    async changeBudget(userId: string, budgetId: string, credits: number): Promise<Budget> {
      await changeBudget(pool, userId, budgetId, creditsToUnits(credits));
      return found(userId, budgetId);
    },

    /** Deletes a budget. Throws `not_found`. */
    async deleteBudget(userId: string, budgetId: string): Promise<void> {
      if (!(await changeBudget(pool, userId, budgetId, null))) throw new MarketError('not_found');
    },
  };
}

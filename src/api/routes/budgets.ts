import { changeBudget, createBudget, deleteBudget, listBudgets } from '../../contract/budgets';
import type { BillingService } from '../../services/billing/billing';
import { idPosition, listPage } from '../requests/list-page';
import { budgetView } from '../views/billing';
import type { RouteBinder } from '../binding/route';

export interface BudgetRouteDeps {
  billing: Pick<BillingService, 'budgets' | 'addBudget' | 'changeBudget' | 'deleteBudget'>;
}

const BUDGET_POSITION = idPosition('bgt');

/** POST|GET /v1/billing/budgets, PATCH|DELETE /v1/billing/budgets/{budget_id}. */
export function budgetRoutes(binder: RouteBinder, { billing }: BudgetRouteDeps): void {
  binder.bind(createBudget, async ({ principal: { userId }, body: { tag = null, credits, window } }) =>
    budgetView(await billing.addBudget(userId, { tag, credits, window })),
  );
  binder.bind(listBudgets, ({ principal: { userId }, query }) =>
    listPage(
      { list: ['budgets', userId], position: BUDGET_POSITION, query },
      ([beforeId], limit) => billing.budgets(userId, { limit, beforeId }),
      { position: ({ budgetId }) => [budgetId], view: budgetView },
    ),
  );
  binder.bind(changeBudget, async ({ principal: { userId }, params, body }) =>
    budgetView(await billing.changeBudget(userId, params.budget_id, body.credits)),
  );
  binder.bind(deleteBudget, async ({ principal: { userId }, params }) => {
    await billing.deleteBudget(userId, params.budget_id);
    return undefined;
  });
}

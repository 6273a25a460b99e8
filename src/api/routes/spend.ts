import { getSpend } from '../../contract/spend';
import type { BillingService } from '../../services/billing/billing';
import { optionalInstantOf } from '../requests/instant';
import { spendView } from '../views/billing';
import type { RouteBinder } from '../binding/route';

export interface SpendRouteDeps {
  billing: Pick<BillingService, 'spend'>;
}

/** GET /v1/billing/spend. */
export function spendRoutes(binder: RouteBinder, { billing }: SpendRouteDeps): void {
  binder.bind(getSpend, async ({ query, principal: { userId } }) => {
    const [since, until] = [optionalInstantOf('since', query.since), optionalInstantOf('until', query.until)];
    return spendView(await billing.spend(userId, { since, until }));
  });
}

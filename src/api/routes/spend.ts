import { getSpend, listFreeCalls } from '../../contract/spend';
import type { BillingService } from '../../services/billing/billing';
import { optionalInstantOf } from '../requests/instant';
import { listPage } from '../requests/list-page';
import { freeCallsView, spendView } from '../views/billing';
import type { RouteBinder } from '../binding/route';

export interface SpendRouteDeps {
  billing: Pick<BillingService, 'spend' | 'freeCalls'>;
}

const AGENT_POSITION = [/^agt_[a-z0-9_]{1,90}$/];

/** GET /v1/billing/spend and /v1/billing/free-calls. */
export function spendRoutes(binder: RouteBinder, { billing }: SpendRouteDeps): void {
  binder.bind(getSpend, async ({ query, principal: { userId } }) => {
    const [since, until] = [optionalInstantOf('since', query.since), optionalInstantOf('until', query.until)];
    return spendView(await billing.spend(userId, { since, until }));
  });
  binder.bind(listFreeCalls, ({ query, principal: { userId } }) =>
    listPage(
      { list: ['free-calls', userId], position: AGENT_POSITION, query },
      ([afterId], limit) => billing.freeCalls({ userId, afterId, limit }),
      { position: ({ agentId }) => [agentId], view: freeCallsView },
    ),
  );
}

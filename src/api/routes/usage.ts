import { getAnalytics, getUsage } from '../../contract/usage';
import type { UsageService } from '../../services/catalogue/usage';
import { optionalInstantOf } from '../requests/instant';
import { agentUsageView, analyticsView } from '../views/usage';
import type { RouteBinder } from '../binding/route';

export interface UsageRouteDeps {
  usage: UsageService;
}

/** GET /v1/agents/{agent_id}/usage and …/analytics: for the owner of the agent only. */
export function usageRoutes(binder: RouteBinder, { usage }: UsageRouteDeps): void {
  binder.bind(getUsage, async ({ params: { agent_id: agentId }, query, principal: { userId } }) => {
    const since = optionalInstantOf('since', query.since);
    return agentUsageView(await usage.usage({ agentId, userId, since }));
  });

  binder.bind(getAnalytics, async ({ params: { agent_id: agentId }, query, principal: { userId } }) => {
    const until = optionalInstantOf('until', query.until);
    const since = optionalInstantOf('since', query.since);
    return analyticsView(await usage.analytics({ agentId, userId, since, until }));
  });
}

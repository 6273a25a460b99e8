import { getAnalytics, getUsage } from '../../contract/usage';
import type { UsageService } from '../../services/catalogue/usage';
import type { RouteBinder } from '../binding/route';

export interface UsageRouteDeps {
  usage: UsageService;
}

/** GET /v1/agents/{agent_id}/usage and …/analytics: for the agent's owner alone. */
export function usageRoutes(binder: RouteBinder, { usage }: UsageRouteDeps): void {
  binder.bind(getUsage, ({ params, query, principal }) =>
    usage.usage({ agentId: params.agent_id, userId: principal.userId, since: query.since }),
  );

  binder.bind(getAnalytics, ({ params, query, principal }) =>
    usage.analytics({ agentId: params.agent_id, userId: principal.userId, ...query }),
  );
}

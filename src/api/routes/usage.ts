import { getAgentCall, getAnalytics, getSales, getUsage, listAgentCalls } from '../../contract/usage';
import type { UsageService } from '../../services/catalogue/usage';
import { optionalInstantOf } from '../requests/instant';
import { idPosition, listPage } from '../requests/list-page';
import { agentCallView, agentUsageView, analyticsView, salesView } from '../views/usage';
import type { RouteBinder } from '../binding/route';

export interface UsageRouteDeps {
  usage: UsageService;
}

/**
 * GET /v1/agents/{agent_id}/usage, …/analytics, /v1/developer/agents/{agent_id}/calls: for the owner of the agent only.
 */
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

  binder.bind(listAgentCalls, ({ params: { agent_id: agentId }, query, principal: { userId } }) => {
    const { status } = query;
    return listPage(
      { list: ['agent-calls', agentId, status], position: idPosition('inv'), query },
      async ([beforeId], limit) => {
        const { scannedTo, ...found } = await usage.calls({ agentId, userId, status, beforeId, limit });
        return { ...found, reached: scannedTo === undefined ? undefined : [scannedTo] };
      },
      { position: ({ invocationId }) => [invocationId], view: agentCallView },
    );
  });

  binder.bind(getSales, async ({ query, principal: { userId } }) => {
    const [since, until] = [optionalInstantOf('since', query.since), optionalInstantOf('until', query.until)];
    return salesView(await usage.sales({ userId, since, until }));
  });

  binder.bind(getAgentCall, async ({ params, principal: { userId } }) =>
    agentCallView(await usage.call({ agentId: params.agent_id, userId, invocationId: params.invocation_id })),
  );
}

import { listAgentNotices } from '../../contract/notices';
import type { AgentNotices } from '../../services/catalogue/agent-notices';
import type { RouteBinder } from '../binding/route';

export interface NoticeRouteDeps {
  notices: AgentNotices;
}

/** GET /v1/developer/agents/{agent_id}/notices: for the agent's owner alone. */
export function noticeRoutes(binder: RouteBinder, { notices }: NoticeRouteDeps): void {
  binder.bind(listAgentNotices, ({ params, query, principal }) =>
    notices.list(principal.userId, params.agent_id, { limit: query.limit ?? 20, cursor: query.cursor }),
  );
}

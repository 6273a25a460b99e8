import { listAgentNotices } from '../../contract/notices';
import type { AgentNotices } from '../../services/catalogue/agent-notices';
import { idPosition, listPage } from '../requests/list-page';
import { agentNoticeView } from '../views/agents';
import type { RouteBinder } from '../binding/route';

export interface NoticeRouteDeps {
  notices: AgentNotices;
}

const NOTICE_POSITION = idPosition('ntc');

/** GET /v1/developer/agents/{agent_id}/notices, for the agent's owner. */
export function noticeRoutes(binder: RouteBinder, { notices }: NoticeRouteDeps): void {
  binder.bind(listAgentNotices, ({ params: { agent_id: agentId }, query, principal: { userId } }) =>
    listPage(
      { list: ['agent-notices', agentId], position: NOTICE_POSITION, query },
      ([beforeId], limit) => notices.list(userId, agentId, { limit, beforeId }),
      { position: ({ noticeId }) => [noticeId], view: agentNoticeView },
    ),
  );
}

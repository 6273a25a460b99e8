import { getAgentTools, listToolChanges } from '../../contract/tool-lists';
import { changeView, type ToolListViews } from '../../services/mcp/notary/tool-list-views';
import type { RouteBinder } from '../binding/route';
import { listPage } from '../requests/list-page';

export interface ToolListRouteDeps {
  toolListViews: ToolListViews;
}

const POSITION = [/^[0-9]{1,18}$/];

/** The verified tools of agents that are MCP servers, and their changes. */
export function toolListRoutes(binder: RouteBinder, { toolListViews }: ToolListRouteDeps): void {
  binder.bind(getAgentTools, async ({ params, caller }) => ({
    ...(await toolListViews.served(caller?.userId, params.agent_id)),
  }));
  binder.bind(listToolChanges, ({ params: { agent_id: agentId }, query, caller }) =>
    listPage(
      { list: ['tool-changes', agentId], position: POSITION, query },
      ([beforeSequence], limit) => toolListViews.changes(caller?.userId, agentId, { limit, beforeSequence }),
      { position: ({ sequence }) => [sequence], view: changeView },
    ),
  );
}

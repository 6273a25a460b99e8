import { listSharedAgents } from '../../contract/shared-agents';
import {
  addToAudience,
  getVisibility,
  listAudience,
  removeFromAudience,
  setVisibility,
} from '../../contract/visibility';
import type { PublishingViews } from '../../services/catalogue/publishing-views';
import type { AgentVisibilityService } from '../../services/catalogue/visibility/visibility';
import type { RouteBinder } from '../binding/route';
import type { Principal } from '../identity/principal';
import { listPage } from '../requests/list-page';
import { foundListingView } from '../views/listings';
import { audienceView, visibilityView } from '../views/agents';

export interface VisibilityRouteDeps {
  agentVisibility: AgentVisibilityService;
  publishingViews: Pick<PublishingViews, 'visibility'>;
}

const ACCOUNT_POSITION = [/^(usr|org)_[0-9a-f]{32}$/];
const AGENT_POSITION = [/^agt_[a-z0-9_]{1,90}$/];

/** Whom an agent is shown to: its visibility and its audience. */
export function visibilityRoutes(
  binder: RouteBinder,
  { agentVisibility, publishingViews }: VisibilityRouteDeps,
): void {
  const now = async (principal: Principal, agentId: string) =>
    visibilityView(await publishingViews.visibility(principal, agentId));

  binder.bind(getVisibility, ({ params, principal }) => now(principal, params.agent_id));
  binder.bind(setVisibility, async ({ params, principal, body }) => {
    await agentVisibility.set(principal.userId, params.agent_id, body.visibility);
    return now(principal, params.agent_id);
  });
  binder.bind(listAudience, ({ params: { agent_id: agentId }, principal: { userId }, query }) =>
    listPage(
      { list: ['audience', agentId, query.q], position: ACCOUNT_POSITION, query },
      ([afterId], limit) => agentVisibility.list(userId, agentId, { afterId, limit, part: query.q }),
      { position: ({ ownerId }) => [ownerId], view: audienceView },
    ),
  );
  binder.bind(addToAudience, async ({ params, principal, body }) => {
    await agentVisibility.add(principal.userId, params.agent_id, body.accounts);
    return now(principal, params.agent_id);
  });
  binder.bind(removeFromAudience, async ({ params, principal }) => {
    await agentVisibility.remove(principal.userId, params.agent_id, params.account_id);
    return undefined;
  });
  binder.bind(listSharedAgents, ({ principal: { userId }, query }) =>
    listPage(
      { list: ['shared-agents', userId], position: AGENT_POSITION, query },
      ([afterId], limit) => agentVisibility.shared(userId, { afterId, limit }),
      { position: ({ agentId }) => [agentId], view: foundListingView },
    ),
  );
}

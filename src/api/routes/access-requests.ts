import {
  answerAccessRequest,
  endAccessLink,
  listAccessRequests,
  listOwnAccessRequests,
  listWaitingAccessRequests,
  makeAccessLink,
  openAccessLink,
  requestAccess,
} from '../../contract/access-requests';
import type { AccessRequests } from '../../services/catalogue/visibility/access-requests';
import type { RouteBinder } from '../binding/route';
import { idPosition, listPage } from '../requests/list-page';
import { accessRequestView, linkedAgentView } from '../views/agents';

export interface AccessRequestRouteDeps {
  accessRequests: AccessRequests;
}

const POSITION = idPosition('acr');
const PLACE = { position: ({ requestId }: { requestId: string }) => [requestId], view: accessRequestView };

/** Links to private agents, and requests for access. */
export function accessRequestRoutes(binder: RouteBinder, { accessRequests }: AccessRequestRouteDeps): void {
  binder.bind(makeAccessLink, ({ params, principal }) =>
    accessRequests.makeLink(principal.userId, params.agent_id),
  );
  binder.bind(endAccessLink, async ({ params, principal }) => {
    await accessRequests.endLink(principal.userId, params.agent_id);
    return undefined;
  });
  binder.bind(listAccessRequests, ({ params: { agent_id: agentId }, principal: { userId }, query }) =>
    listPage(
      { list: ['access-requests', agentId, query.state], position: POSITION, query },
      ([beforeId], limit) => accessRequests.list(userId, agentId, { beforeId, limit, state: query.state }),
      PLACE,
    ),
  );
  binder.bind(listWaitingAccessRequests, ({ principal: { userId }, query }) =>
    listPage(
      { list: ['waiting-access-requests', userId], position: POSITION, query },
      ([beforeId], limit) => accessRequests.listWaiting(userId, { beforeId, limit }),
      PLACE,
    ),
  );
  binder.bind(answerAccessRequest, async ({ params, principal, body }) => {
    const { agent_id: agentId, request_id: requestId } = params;
    return accessRequestView(await accessRequests.answer(principal.userId, agentId, requestId, body.grant));
  });
  binder.bind(openAccessLink, async ({ principal, body }) =>
    linkedAgentView(await accessRequests.open(principal.userId, body.token)),
  );
  binder.bind(requestAccess, async ({ principal, body }) =>
    accessRequestView(await accessRequests.ask(principal.userId, body.token, body.reason)),
  );
  binder.bind(listOwnAccessRequests, ({ principal: { userId }, query }) =>
    listPage(
      { list: ['own-access-requests', userId], position: POSITION, query },
      ([beforeId], limit) => accessRequests.listOwn(userId, { beforeId, limit }),
      PLACE,
    ),
  );
}

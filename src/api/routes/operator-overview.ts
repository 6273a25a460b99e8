import type { Config } from '../../config';
import { getMarketFigures } from '../../contract/operator-figures';
import {
  fastForwardWorkflow,
  getOperatorCall,
  getPlatform,
  listAccountMovements,
  lookUp,
} from '../../contract/operator-overview';
import { MarketError } from '../../domain/errors';
import type { TimeTravel } from '../../engine/time-travel';
import type { Operators } from '../../services/operations/operators';
import type { Overview } from '../../services/operations/overview';
import type { RouteBinder } from '../binding/route';
import { listPage } from '../requests/list-page';
import {
  accountMovementView,
  marketFiguresView,
  operatorCallView,
  platformView,
  subjectView,
} from '../views/operators/overview';

export interface OperatorOverviewRouteDeps {
  config: Config;
  overview: Overview;
  operators: Operators;
  timeTravel: TimeTravel | undefined;
}

const ENTRY_POSITION = [/^[1-9][0-9]{0,17}$/];

/** Lookup by any id, money timelines, the state of the platform, and time travel, for operators. */
export function operatorOverviewRoutes(binder: RouteBinder, deps: OperatorOverviewRouteDeps): void {
  const { overview, operators, timeTravel } = deps;
  const workflowsUrl = workflowsUrlOf(deps.config);

  binder.bind(lookUp, async ({ query }) => ({ items: (await overview.lookUp(query.q)).map(subjectView) }));

  binder.bind(listAccountMovements, ({ query, params: { user_id: userId } }) =>
    listPage(
      { list: ['movements', userId], position: ENTRY_POSITION, query },
      ([beforeEntryId], limit) => overview.movements(userId, { beforeEntryId, limit }),
      { position: ({ entryId }) => [entryId], view: accountMovementView },
    ),
  );

  binder.bind(getOperatorCall, async ({ params }) =>
    operatorCallView(await overview.call(params.invocation_id)),
  );

  binder.bind(getMarketFigures, async () => marketFiguresView(await overview.figures()));

  binder.bind(getPlatform, async () => ({
    ...platformView(await overview.platform(), workflowsUrl),
    time_travel: timeTravel !== undefined,
  }));

  binder.bind(fastForwardWorkflow, async ({ body, principal: { userId }, traceId }) => {
    if (!timeTravel) throw new MarketError('not_found');
    const { workflow_id: workflowId, seconds } = body;
    const state = await timeTravel.fastForward(workflowId, seconds * 1_000);
    await operators.travelled(workflowId, { operatorUserId: userId, reason: `${seconds} s`, traceId });
    return { workflow_id: workflowId, state };
  });
}

/** The page of Temporal's UI with the workflows of this service; null if its address is not set. */
function workflowsUrlOf({ TEMPORAL_UI_URL: ui, TEMPORAL_NAMESPACE: namespace }: Config): string | null {
  if (ui === '') return null;
  return `${ui.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows`;
}

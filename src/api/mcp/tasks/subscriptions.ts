/**
 * `subscriptions/listen` (2026-07-28): a stream of `notifications/tasks` about the tasks that the request names. Other
 * notifications are not sent, because tools change with versions only. The subscription ends when all of its tasks
 * have.
 */
import { MarketError } from '../../../domain/errors';
import { asRecord } from '../../../domain/json-value';
import type { McpExchange } from '../wire/mcp-request';
import { McpFault, PROTOCOL_META, RPC } from '../wire/protocol';
import { notification } from '../wire/reply';
import { metaOf } from '../wire/results';
import { readCallOf, statesOf } from './follow';
import { viewerOf, visibleOf } from './view';
import { detailedTask, requireTasks, scopeOf, type TaskMethodDeps } from './methods';

/** Tasks of one subscription. */
const MOST_TASKS = 32;

export async function listen(deps: TaskMethodDeps, request: McpExchange): Promise<void> {
  const { id, era, server, message, reply } = request;
  const { taskIds } = asRecord(message.params['notifications']);
  if (taskIds !== undefined) requireTasks(request);
  const ids = await knownOf(deps, request, taskIds ?? []);
  const life = deps.taskStreams.open(request);
  const _meta = { [PROTOCOL_META.subscriptionId]: id };
  const acknowledged = { _meta, notifications: taskIds === undefined ? {} : { taskIds: ids } };
  await reply.send(notification('notifications/subscriptions/acknowledged', [JSON.stringify(acknowledged)]));
  const meta = JSON.stringify(_meta);
  await Promise.all(
    ids.map(async (taskId) => {
      let shown = '';
      for await (const call of statesOf(deps, scopeOf(request), taskId, life)) {
        const now = visibleOf(era, call, viewerOf(request));
        if (now === shown) continue;
        shown = now;
        const fields = await detailedTask(request, call);
        await reply.send(notification('notifications/tasks', ['{', ...fields, `,"_meta":${meta}}`]));
      }
    }),
  );
  if (reply.gone.aborted) return;
  reply.result(id, [
    JSON.stringify({ resultType: 'complete', _meta: { ...metaOf(era, server.identity), ..._meta } }),
  ]);
}

/** The tasks of the caller among these. Those that it has not are left out of the acknowledgement. */
async function knownOf(deps: TaskMethodDeps, request: McpExchange, taskIds: unknown): Promise<string[]> {
  if (!Array.isArray(taskIds) || taskIds.length > MOST_TASKS)
    throw new McpFault(RPC.invalidParams, `params.notifications.taskIds must be at most ${MOST_TASKS} ids.`);
  const known = await Promise.all(
    [...new Set<unknown>(taskIds)].map(async (taskId) => {
      try {
        return (await readCallOf(deps, scopeOf(request), taskId)).invocationId;
      } catch (error) {
        if (error instanceof MarketError && error.code === 'not_found') return undefined;
        throw error;
      }
    }),
  );
  return known.filter((taskId) => taskId !== undefined);
}

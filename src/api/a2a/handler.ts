/**
 * The operations of A2A 1.0, on Postgres and Temporal. The library's `jsonRpcHandler` and `restHandler` implement the
 * wire format and call these functions. The library's in-memory store and event bus are not used, so that any process
 * can answer and a restart loses nothing.
 */
import {
  AgentCard,
  type ListTasksRequest,
  type ListTasksResponse,
  type SendMessageRequest,
  Task,
  TaskState,
} from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import {
  ExtendedAgentCardNotConfiguredError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { interfacesOf, mandateExtension } from '../../domain/a2a/a2a-card';
import { isTaskOver, type TaskState as State, TASK_STATUS } from '../../domain/a2a/a2a-task';
import { A2A_META, taskJson, type TaskShape, type TaskView } from '../../domain/a2a/a2a-wire';
import { MarketError } from '../../domain/errors';
import { parseInstant } from '../../domain/instant';
import type { TaskScope } from '../../services/a2a/a2a-task-views';
import type { JobEngine } from '../../engine/jobs';
import type { PushConfigs } from '../../services/a2a/a2a-push';
import { answerIn } from './answer';
import type { FaultDeps } from '../answers/errors';
import type { A2aCaller } from './caller';
import { type FollowDeps, streamOf, untilOver } from './follow';
import { createGuards } from './guards';
import { requireName } from './message';
import { idPosition, readPage } from '../requests/list-page';
import { shownConfig, targetOf } from './push';
import { send, type SendDeps } from './send';

export interface A2aHandlerDeps extends SendDeps, FollowDeps, FaultDeps {
  pushConfigs: PushConfigs;
  jobEngine: Pick<JobEngine, 'answer'>;
}

const DEFAULT_PAGE = 50;
const MAX_PAGE = 100;
/** Position of a task in a list: time of its last change in microseconds, and its id. */
const TASK_POSITION = [/^[0-9]{1,18}$/, ...idPosition('inv')];
const NOT_A_TOKEN = 'pageToken is not one of this query.';

export function createA2aHandler(deps: A2aHandlerDeps): A2ARequestHandler {
  const { guard, guardStream } = createGuards<A2aCaller>(deps, [mandateExtension(deps.origin)]);
  // Version and capabilities are the same for every agent. The public card of an agent is built elsewhere.
  const common = AgentCard.fromJSON({
    name: 'agent',
    supportedInterfaces: interfacesOf(deps.origin, 'agent'),
    capabilities: { streaming: true, pushNotifications: true },
  });
  return {
    getAgentCard: () => Promise.resolve(common),
    getAuthenticatedExtendedAgentCard: () => Promise.reject(new ExtendedAgentCardNotConfiguredError()),

    sendMessage: guard(async (params, caller) => {
      const taskId = await begin(deps, caller, params);
      const scope = scopeOf(caller);
      const { returnImmediately = false, historyLength } = params.configuration ?? {};
      const view = returnImmediately
        ? await deps.taskViews.get(scope, taskId, caller.hold)
        : await untilOver(deps, scope, taskId, caller);
      return toTask(view, { historyLength: lengthOf(historyLength) });
    }),

    sendMessageStream: guardStream(async function* (params, caller) {
      const taskId = await begin(deps, caller, params);
      const scope = scopeOf(caller);
      yield* streamOf(deps, scope, await deps.taskViews.get(scope, taskId, caller.hold), caller);
    }),

    resubscribe: guardStream(async function* ({ id }, caller) {
      const scope = scopeOf(caller);
      const view = await deps.taskViews.get(scope, id, caller.hold);
      if (isTaskOver(view.state)) throw new UnsupportedOperationError('The task is over; read it instead.');
      yield* streamOf(deps, scope, view, caller);
    }),

    getTask: guard(async ({ id, historyLength }, caller) => {
      const view = await deps.taskViews.get(scopeOf(caller), id, caller.hold);
      return toTask(view, { historyLength: lengthOf(historyLength) });
    }),

    listTasks: guard((params, caller) => listTasks(deps, caller, params)),

    cancelTask: guard(async ({ id }, caller) => {
      const scope = scopeOf(caller);
      try {
        await deps.taskEngine.cancel(scope, id);
      } catch (error) {
        if (error instanceof MarketError && error.code === 'invalid_state')
          throw new TaskNotCancelableError(error.message);
        throw error;
      }
      return toTask(await deps.taskViews.get(scope, id, caller.hold), {});
    }),

    createTaskPushNotificationConfig: guard(async (config, caller) =>
      shownConfig(await deps.pushConfigs.create(scopeOf(caller), config.taskId, targetOf(config, caller))),
    ),
    getTaskPushNotificationConfig: guard(async ({ taskId, id }, caller) =>
      shownConfig(await pushConfig(deps, caller, taskId, id)),
    ),
    listTaskPushNotificationConfigs: guard(async ({ taskId }, caller) => ({
      configs: (await deps.pushConfigs.list(scopeOf(caller), taskId)).map(shownConfig),
      nextPageToken: '',
    })),
    deleteTaskPushNotificationConfig: guard(({ taskId, id }, caller) =>
      deps.pushConfigs.remove(scopeOf(caller), taskId, id),
    ),
  };
}

/**
 * Accepts a message as a new task, or as the answer to the question of an existing one. Returns the id of the task.
 * Other messages to existing tasks are refused.
 */
async function begin(deps: A2aHandlerDeps, caller: A2aCaller, params: SendMessageRequest): Promise<string> {
  const { taskId = '', contextId = '' } = params.message ?? {};
  if (taskId === '') return send(deps, caller, params);
  const task = await deps.taskViews.get(scopeOf(caller), taskId);
  if (contextId !== '' && contextId !== task.contextId) {
    throw new MarketError('validation_failed', { message: 'contextId is not that of the task.', detail: [] });
  }
  const questionId = questionIn(params) ?? task.job?.question?.questionId;
  if (questionId === undefined || isTaskOver(task.state))
    throw new UnsupportedOperationError(
      'The task asks nothing. A message with its taskId answers a question; send a new task without taskId.',
    );
  const input = answerIn(params.message?.parts ?? [], task.job?.question ?? null);
  try {
    await deps.jobEngine.answer(task.buyerUserId, taskId, { questionId, input });
  } catch (error) {
    if (error instanceof MarketError && error.code === 'invalid_state')
      throw new UnsupportedOperationError(error.message);
    throw error;
  }
  return taskId;
}

function questionIn({ message, metadata }: SendMessageRequest): string | undefined {
  const given: unknown = message?.metadata?.[A2A_META.questionId] ?? metadata?.[A2A_META.questionId];
  if (given === undefined || given === null) return undefined;
  return requireName(A2A_META.questionId, typeof given === 'string' ? given : '');
}

/** A push config of a task. A request of 0.3 without the id of a config means the only one, or the first. */
async function pushConfig({ pushConfigs }: A2aHandlerDeps, caller: A2aCaller, taskId: string, id: string) {
  const scope = scopeOf(caller);
  const [first] = caller.isLegacy && id === '' ? await pushConfigs.list(scope, taskId) : [];
  return first ?? pushConfigs.get(scope, taskId, id);
}

async function listTasks(
  deps: A2aHandlerDeps,
  caller: A2aCaller,
  params: ListTasksRequest,
): Promise<ListTasksResponse> {
  const { pageSize = DEFAULT_PAGE, includeArtifacts = false, historyLength } = params;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_PAGE) {
    throw invalid(`pageSize takes an integer from 1 to ${MAX_PAGE}.`);
  }
  const filter = {
    ...scopeOf(caller),
    contextId: params.contextId === '' ? undefined : requireName('contextId', params.contextId),
    ...stateOf(params.status),
    after: instantOf(params.statusTimestampAfter),
  };
  const cursor = params.pageToken === '' ? undefined : params.pageToken;
  const { rows, next, total } = await readPage(
    { list: ['a2a', filter], position: TASK_POSITION, limit: pageSize, cursor, refusal: NOT_A_TOKEN },
    (position, limit) =>
      deps.taskViews.list({ ...filter, position, limit, artifacts: includeArtifacts }, caller.hold),
    ({ position }) => position,
  );
  const shape = { historyLength: lengthOf(historyLength), artifacts: includeArtifacts };
  return {
    tasks: rows.map((task) => toTask(task, shape)),
    nextPageToken: next ?? '',
    pageSize,
    totalSize: total,
  };
}

function scopeOf({ principal, agentId }: A2aCaller): TaskScope {
  return { callerUserId: principal.userId, agentId };
}

function toTask(view: TaskView, shape: TaskShape): Task {
  return Task.fromJSON(taskJson(view, shape));
}

function lengthOf(historyLength: number | undefined): number | undefined {
  if (historyLength === undefined || (Number.isInteger(historyLength) && historyLength >= 0))
    return historyLength;
  throw invalid('historyLength takes an integer of 0 or more.');
}

/**
 * Converts a status filter. Empty for the unspecified state; a state that never occurs matches no task. A task that
 * waits for its caller is WORKING in the database.
 */
function stateOf(status: TaskState): { state?: State; isAsking?: boolean } {
  if (status === TaskState.TASK_STATE_UNSPECIFIED) return {};
  const name = (TaskState[status] ?? '').replace('TASK_STATE_', '');
  if (status === TaskState.UNRECOGNIZED) throw invalid('status is not a TaskState.');
  if (name === 'INPUT_REQUIRED') return { state: 'WORKING', isAsking: true };
  if (name === 'WORKING') return { state: 'WORKING', isAsking: false };
  return { state: Object.hasOwn(TASK_STATUS, name) ? (name as State) : ('NONE' as State) };
}

function instantOf(text: string | undefined): Date | undefined {
  if (text === undefined || text === '') return undefined;
  const instant = parseInstant(text);
  if (!instant) throw invalid('statusTimestampAfter is not an ISO 8601 time.');
  return instant;
}

function invalid(message: string): MarketError {
  return new MarketError('validation_failed', { message, detail: [] });
}

/**
 * The methods about tasks: `tasks/get`, `tasks/update` and `tasks/cancel` of the extension (modern), and `tasks/get`,
 * `tasks/result`, `tasks/list` and `tasks/cancel` of 2025-11-25 (legacy). A task is a call of the buyer at the agent of
 * the address, of whatever surface.
 */
import { isFinal } from '../../../domain/calls/invocation-state';
import { MarketError } from '../../../domain/errors';
import { isRecord } from '../../../domain/json-value';
import { anySignal } from '../../../kit/concurrency/any-signal';
import type { TaskEngine } from '../../../engine/tasks';
import type { InvocationWithOutput } from '../../../services/calls/invocation-views';
import { errorBody } from '../../answers/errors';
import { idPosition, readPage } from '../../requests/list-page';
import { progressReporter } from './progress';
import type { McpExchange } from '../wire/mcp-request';
import { McpFault, PROTOCOL_META, RPC, TASKS_EXTENSION } from '../wire/protocol';
import { notification, type Piece } from '../wire/reply';
import { metaOf, plainResult } from '../wire/results';
import { type CallScope, readCallOf, statesOf, type TaskFollowDeps } from './follow';
import { answerAll, inputRequests, type QuestionDeps, questionSender } from './questions';
import { openQuestion, taskJson, taskStatus, viewerOf, visibleOf } from './view';
import type { TaskStreams } from './streams';

export interface TaskMethodDeps extends TaskFollowDeps, QuestionDeps {
  taskEngine: Pick<TaskEngine, 'stop'>;
  taskStreams: TaskStreams;
}

const PAGE = 50;
const POSITION = idPosition('inv');
/** How long `tasks/result` waits for a client that takes no stream. */
const RESULT_PATIENCE_MS = 60_000;

export const scopeOf = ({ principal, server }: McpExchange): CallScope => ({
  buyerUserId: principal.userId,
  agentId: server.agentId,
});

/** Throws `McpFault` (-32021) for a modern client that does not declare the extension. */
export function requireTasks({ era, client }: Pick<McpExchange, 'era' | 'client'>): void {
  if (era === 'legacy' || client.takesTasks) return;
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
  throw new McpFault(RPC.missingCapability, `Declare the extension ${TASKS_EXTENSION}.`, {
    status: 400,
    data: { requiredCapabilities },
  });
}

/** Reads the task that a request names. Throws `McpFault` (-32602) if the caller has no such task. */
async function taskOf(deps: TaskMethodDeps, request: McpExchange): Promise<InvocationWithOutput> {
  requireTasks(request);
  const { taskId } = request.message.params;
  return readCallOf(deps, scopeOf(request), taskId).catch(asUnknownTask);
}

function asUnknownTask(error: unknown): never {
  if (!(error instanceof MarketError) || error.code !== 'not_found') throw error;
  throw new McpFault(
    RPC.invalidParams,
    'Task not found: params.taskId is the id of a task of this account and agent.',
  );
}

/** The members of a task with what its status adds: the result of a task that is completed. */
export async function detailedTask(request: McpExchange, call: InvocationWithOutput): Promise<Piece[]> {
  const { era, client, server } = request;
  const fields = JSON.stringify(taskJson(era, call, viewerOf(request))).slice(1, -1);
  const question = openQuestion(call);
  if (era === 'modern' && client.elicits && question)
    return [fields, `,"inputRequests":${JSON.stringify(inputRequests(question))}`];
  const status = taskStatus(era, call, server.passesOn);
  if (era === 'modern' && status === 'failed') return [fields, `,"error":${JSON.stringify(failureOf(call))}`];
  if (era === 'legacy' || status !== 'completed') return [fields];
  return [fields, ',"result":', ...(await server.ended(call))];
}

/** The JSON-RPC error of a call of an MCP server that failed. */
function failureOf({ invocationId, errorCode, agentMessage, traceId }: InvocationWithOutput) {
  const code = errorCode ?? 'internal_error';
  const error = new MarketError(code, { invocationId, agentMessage: agentMessage ?? undefined });
  return { code: RPC.internalError, message: error.message, data: errorBody(error, traceId) };
}

export async function getTask(deps: TaskMethodDeps, request: McpExchange): Promise<void> {
  const { id, era, server, reply } = request;
  const call = await taskOf(deps, request);
  reply.result(id, plainResult(era, server.identity, await detailedTask(request, call)));
}

/** Answers to questions that are not open are ignored, as the extension requires. */
export async function updateTask(deps: TaskMethodDeps, request: McpExchange): Promise<void> {
  const { id, era, server, message, reply } = request;
  const { invocationId } = await taskOf(deps, request);
  const { inputResponses } = message.params;
  if (!isRecord(inputResponses))
    throw new McpFault(RPC.invalidParams, 'params.inputResponses must be an object.');
  const { buyerUserId } = scopeOf(request);
  await answerAll(deps, { buyerUserId, taskId: invocationId }, inputResponses);
  reply.result(id, acknowledged(era, server));
}

/**
 * Cancels a task and refunds it. A task that has ended stays as it is: modern clients get the same acknowledgement, and
 * legacy ones -32602.
 */
export async function cancelTask(deps: TaskMethodDeps, request: McpExchange): Promise<void> {
  const { id, era, server, reply } = request;
  const { invocationId, status } = await taskOf(deps, request);
  const { buyerUserId } = scopeOf(request);
  if (era === 'legacy' && isFinal(status))
    throw new McpFault(RPC.invalidParams, `The task has already ended: ${status}.`);
  try {
    if (await deps.callWaits.cancel(buyerUserId, invocationId)) await deps.taskEngine.stop(invocationId);
  } catch (error) {
    if (!(error instanceof MarketError) || error.code !== 'invalid_state') throw error;
    if (era === 'legacy') throw new McpFault(RPC.invalidParams, error.message);
  }
  if (era === 'modern') return reply.result(id, acknowledged(era, server));
  reply.result(
    id,
    plainResult(era, server.identity, await detailedTask(request, await taskOf(deps, request))),
  );
}

const acknowledged = (era: McpExchange['era'], { identity }: McpExchange['server']): Piece[] => [
  JSON.stringify({ resultType: 'complete', _meta: metaOf(era, identity) }),
];

/** 2025-11-25: all calls of the buyer at this agent, newest first. */
export async function listTasks(deps: TaskMethodDeps, request: McpExchange): Promise<void> {
  const { id, era, server, message, reply } = request;
  const { cursor } = message.params;
  if (cursor !== undefined && typeof cursor !== 'string')
    throw new McpFault(RPC.invalidParams, 'params.cursor must be text.');
  const scope = scopeOf(request);
  const page = await readPage(
    { list: ['mcp tasks', scope], position: POSITION, limit: PAGE, cursor },
    async ([beforeId], limit) => {
      const { scannedTo, ...found } = await deps.invocationViews.list({ ...scope, beforeId, limit });
      return { ...found, reached: scannedTo === undefined ? undefined : [scannedTo] };
    },
    ({ invocationId }) => [invocationId],
  ).catch(asInvalidCursor);
  const tasks = page.rows.map((call) => taskJson(era, call));
  const fields = JSON.stringify({ tasks, ...(page.next !== null && { nextCursor: page.next }) });
  reply.result(id, plainResult(era, server.identity, [fields.slice(1, -1)]));
}

function asInvalidCursor(error: unknown): never {
  if (!(error instanceof MarketError) || error.code !== 'validation_failed') throw error;
  throw new McpFault(RPC.invalidParams, 'params.cursor is not one of this list.');
}

/**
 * 2025-11-25: answers with the result of the call when it has ended. A client that takes a stream gets the changes of
 * the task on it meanwhile, and progress if it has a token.
 */
export async function taskResult(deps: TaskMethodDeps, request: McpExchange): Promise<void> {
  const { id, era, reply } = request;
  let call = await taskOf(deps, request);
  if (!isFinal(call.status)) {
    const life = openStream(deps, request);
    const leave = deps.callWaits.enter(call.invocationId, request.principal.userId);
    const report = progressReporter(request);
    const ask = questionSender(request, call.invocationId, true);
    let shown = visibleOf(era, call, viewerOf(request));
    try {
      for await (const state of statesOf(deps, scopeOf(request), call.invocationId, life)) {
        call = state;
        const now = visibleOf(era, call, viewerOf(request));
        if (reply.streams && now !== shown)
          await reply.send(
            notification('notifications/tasks/status', [
              JSON.stringify(taskJson(era, call, viewerOf(request))),
            ]),
          );
        shown = now;
        await ask(openQuestion(call));
        if (call.job && !isFinal(call.status)) await report(call.job);
      }
    } finally {
      leave();
    }
  }
  if (reply.gone.aborted) return;
  if (!isFinal(call.status))
    throw new McpFault(RPC.internalError, 'The task has not ended. Send tasks/result again, or tasks/get.');
  const related = { [PROTOCOL_META.relatedTask]: { taskId: call.invocationId } };
  reply.result(id, await request.server.ended(call, related));
}

/** Begins the stream of a request that waits. Returns the signal of its end. */
function openStream({ taskStreams }: TaskMethodDeps, request: McpExchange): AbortSignal {
  const { reply } = request;
  if (!reply.streams) return anySignal(AbortSignal.timeout(RESULT_PATIENCE_MS), reply.gone);
  return taskStreams.open(request);
}

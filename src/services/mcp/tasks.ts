/** Follows the tasks of MCP servers: in the modern era by the extension, and as revision 2025-11-25 has them. */
import { MarketError } from '../../domain/errors';
import { type McpConnection, type McpSession, Stale } from './connection';
import {
  agentFailure,
  INTERNAL_ERROR,
  type JsonObject,
  type McpTask,
  type RpcReply,
  type ToolAnswer,
  type ToolResult,
} from './protocol';

/** Where a server is asked about a task. `session`: the one that the task was made in, for it may know no other. */
export interface TaskAddress {
  taskId: string;
  session: McpSession | null;
}

/** `result`: set if the task is completed. */
export interface TaskState {
  task: McpTask;
  result: ToolResult | undefined;
}

/** Asks for the state of a task. The session is kept while the task works. */
export async function readTask(
  connection: McpConnection,
  { taskId, session }: TaskAddress,
): Promise<TaskState> {
  const state = answerOf(await connection.request('tasks/get', { taskId }));
  const { task } = state;
  if (!task || task.taskId !== taskId) throw agentFailure('not the state of the task');
  const isOpen = task.status === 'working' || task.status === 'input_required';
  if (isOpen && session && connection.session?.id === session.id) connection.keep();
  if (task.status !== 'completed') return { task, result: undefined };
  return { task, result: state.json ? state : await resultOf(connection, taskId) };
}

async function resultOf(connection: McpConnection, taskId: string): Promise<ToolResult> {
  if (connection.era === 'modern') throw agentFailure('a completed task without its result');
  const answer = answerOf(await connection.request('tasks/result', { taskId }));
  if (!answer.json) throw agentFailure('not the result of a task');
  return answer;
}

/** The user's answer to a form that a task asks. `isAsked`: whether the form with this key is meant. */
export interface FormAnswer {
  isAsked: (key: string) => boolean;
  content: JsonObject;
}

/** Sends the answer to a form. A form that the task no longer asks was answered before. */
export async function answerForm(
  connection: McpConnection,
  { taskId, session }: TaskAddress,
  { isAsked, content }: FormAnswer,
): Promise<void> {
  const { task } = await readTask(connection, { taskId, session });
  const form = task.asks?.find(({ key }) => isAsked(key));
  if (!form) return;
  const inputResponses = { [form.key]: { action: 'accept', content } };
  const reply = await connection.request('tasks/update', { taskId, inputResponses });
  if (reply.kind !== 'refused') return;
  if (isOfTheMoment(reply)) throw new MarketError('agent_unreachable');
  throw agentFailure(`refused: ${reply.status}, ${reply.code}`);
}

/** A task that has ended, or that the server no longer knows, needs no cancellation. */
export async function cancelTask(connection: McpConnection, { taskId }: TaskAddress): Promise<void> {
  const reply = await connection.request('tasks/cancel', { taskId });
  if (reply.kind === 'refused' && isOfTheMoment(reply)) throw new MarketError('agent_unreachable');
}

/**
 * Runs work about a task on a connection that `connect` makes. A server that accepts no connection says nothing about
 * the task, for it may be restarting: it counts as unreachable, and so it does if it refuses for the moment.
 */
export async function ofTask<T>(
  connect: (work: (connection: McpConnection) => Promise<T>) => Promise<T>,
  work: (connection: McpConnection) => Promise<T>,
): Promise<T> {
  let isConnected = false;
  try {
    return await connect(async (connection) => {
      isConnected = true;
      return work(connection).catch((error: unknown) => {
        if (error instanceof Stale) isConnected = false;
        throw error;
      });
    });
  } catch (error) {
    if (isConnected || !(error instanceof MarketError) || error.code !== 'agent_error') throw error;
    throw new MarketError('agent_unreachable', { cause: error });
  }
}

function answerOf(reply: RpcReply): ToolAnswer {
  if (reply.kind === 'refused' && isOfTheMoment(reply)) throw new MarketError('agent_unreachable');
  if (reply.kind === 'refused') throw agentFailure(`refused: ${reply.status}, ${reply.code}`);
  if (!reply.tool) throw agentFailure('not the reply to a question about a task');
  return reply.tool;
}

const OF_THE_MOMENT: ReadonlySet<number> = new Set([408, 425, 429]);

/** A refusal that says nothing about the task. */
function isOfTheMoment({ status, code }: Extract<RpcReply, { kind: 'refused' }>): boolean {
  return OF_THE_MOMENT.has(status) || status >= 500 || code === INTERNAL_ERROR;
}

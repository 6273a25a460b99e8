/** A developer's MCP server, of the official library, that makes a task of each call of its tool `work`. */
import { randomUUID } from 'node:crypto';
import { fromJsonSchema, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { startMcpServer, type TestMcpServer } from './mcp-server';

export interface ServedTask {
  status: string;
  statusMessage?: string;
  /** The result of the tool, once the task is completed. */
  result?: Record<string, unknown>;
  pollMs?: number;
  /** What a task of the modern era asks. */
  inputRequests?: Record<string, unknown>;
}

export interface TaskServer extends TestMcpServer {
  era: 'legacy' | 'modern';
  /** The tasks so far, by their ids; a test changes them. */
  tasks: Map<string, ServedTask>;
  /** What the next tasks begin as. */
  first: ServedTask;
  /** The parameters of the tool calls so far. */
  calls: Record<string, unknown>[];
  /** The parameters of `tasks/update` so far. */
  updates: Record<string, unknown>[];
  /** Ends all tasks that work. */
  end(task: ServedTask): void;
  methods(): string[];
}

const ANYTHING = fromJsonSchema<Record<string, unknown>>({ type: 'object' });
const EXTENSION = 'io.modelcontextprotocol/tasks';

export const answer = (text: string): ServedTask => ({
  status: 'completed',
  result: { content: [{ type: 'text', text }] },
});

export async function startTaskServer(era: TaskServer['era']): Promise<TaskServer> {
  const book: Pick<TaskServer, 'tasks' | 'first' | 'calls' | 'updates'> = {
    tasks: new Map(),
    first: { status: 'working' },
    calls: [],
    updates: [],
  };
  const manner = era === 'modern' ? 'modern-json' : 'legacy-session-json';
  const server = await startMcpServer(manner, () => serverOf(era, book));
  return Object.assign(book, server, {
    era,
    end(task: ServedTask) {
      for (const [id, { status }] of book.tasks) if (status === 'working') book.tasks.set(id, task);
    },
    methods: () => server.requests.map(({ method }) => method),
  });
}

function serverOf(
  era: TaskServer['era'],
  book: Pick<TaskServer, 'tasks' | 'first' | 'calls' | 'updates'>,
): Server {
  const isModern = era === 'modern';
  const tasks = { cancel: {}, requests: { tools: { call: {} } } };
  const capabilities = { tools: {}, ...(isModern ? { extensions: { [EXTENSION]: {} } } : { tasks }) };
  const server = new Server({ name: 'a developer', version: '1.0.0' }, { capabilities });
  const find = ({ taskId }: Record<string, unknown>): [string, ServedTask] => {
    const task = book.tasks.get(String(taskId));
    if (!task) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Task not found');
    return [String(taskId), task];
  };
  const stateOf = ([taskId, { pollMs, result, ...task }]: [string, ServedTask]) => ({
    taskId,
    ...task,
    createdAt: '2026-11-25T10:30:00Z',
    lastUpdatedAt: '2026-11-25T10:30:00Z',
    ...(isModern ? { ttlMs: null, pollIntervalMs: pollMs } : { ttl: null, pollInterval: pollMs }),
    ...(isModern && result && { result }),
  });
  const execution = { taskSupport: 'required' as const };
  const tool = { name: 'work', inputSchema: { type: 'object' as const }, ...(!isModern && { execution }) };
  server.setRequestHandler('tools/list', async () => ({ tools: [tool] }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    book.calls.push(params);
    const taskId = `task-${randomUUID()}`;
    book.tasks.set(taskId, book.first);
    const state = stateOf([taskId, { ...book.first, status: 'working' }]);
    return { content: [], ...(isModern ? { resultType: 'task', ...state } : { task: state }) };
  });
  const schemas = { params: ANYTHING, result: ANYTHING };
  server.setRequestHandler('tasks/get', schemas, async (params) => stateOf(find(params)));
  server.setRequestHandler('tasks/cancel', schemas, async (params) => {
    const [id] = find(params);
    book.tasks.set(id, { status: 'cancelled' });
    return isModern ? {} : stateOf(find(params));
  });
  if (isModern)
    server.setRequestHandler('tasks/update', schemas, async (params, { mcpReq }) => {
      const [id] = find(params);
      // The library moves the answers out of the parameters of every method.
      book.updates.push({ ...params, inputResponses: mcpReq.inputResponses });
      book.tasks.set(id, { status: 'working' });
      return {};
    });
  if (!isModern)
    server.setRequestHandler('tasks/result', schemas, async (params) => {
      const [taskId, { result = {} }] = find(params);
      return { ...result, _meta: { 'io.modelcontextprotocol/related-task': { taskId } } };
    });
  return server;
}

/**
 * MCP client (reference: protocols §1). Lists and calls tools of untrusted servers. It supports both eras, remembers
 * which one a server speaks, and detects it again when requests fail. Everything within one call has the same deadline.
 */
import type { Egress } from '../../egress/agent-call';
import { createHeldJson } from '../../kit/json/held-json';
import {
  connectLegacy,
  connectModern,
  detectEra,
  type McpConnection,
  type McpSession,
  resumeLegacy,
  Stale,
} from './connection';
import type { McpLimits, McpTarget } from './target';
import { answered, refusalOf, requirePassable } from './call-rounds';
import { paramHeadersOf } from './param-headers';
import {
  agentFailure,
  HEADER_MISMATCH,
  MISSING_CAPABILITY,
  TASKS_EXTENSION,
  type Era,
  type JsonObject,
  type McpTask,
  type RpcReply,
  type ToolResult,
} from './protocol';
import { createTaskTools } from './task-tools';
import {
  answerForm,
  cancelTask,
  type FormAnswer,
  ofTask,
  readTask,
  type TaskAddress,
  type TaskState,
} from './tasks';
import type { ToolCall } from './tool-call';
import { completeResult } from './tool-reply';
import { MarketError } from '../../domain/errors';
import { asRecord, isRecord } from '../../domain/json-value';
import { BoundedMap } from '../../kit/bounded-map';

const MAX_REMEMBERED = 1_000;
const MAX_PAGES = 50;
const MAX_TOOLS = 1_000;

/** Most bytes of all pages of a list of tools, as JSON. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;

/** Returns the function that runs work on a connection to a server. */
function createConnector(egress: Egress) {
  const eras = createEraMemory();

  async function connectTo(
    target: McpTarget,
    limits: McpLimits,
    { refused, session }: { refused?: Era | undefined; session?: McpSession | null | undefined },
  ): Promise<McpConnection> {
    if (session) return resumeLegacy(egress, target, limits, session);
    const era = eras.get(target.cacheKey) ?? (await detectEra(egress, target, limits));
    if (era !== undefined && era === refused) throw agentFailure(`it speaks ${era}, and refuses it`);
    if (era === 'modern') return connectModern(egress, target, limits);
    try {
      return await connectLegacy(egress, target, limits);
    } catch (error) {
      if (era !== undefined || !(error instanceof Stale)) throw error;
      return connectModern(egress, target, limits); // it was only slow to say so
    }
  }

  /**
   * Runs `work` on a connection. Retries once, on a new connection, if the server has lost the session or speaks
   * another era than remembered. A request is never repeated in the same way, since the server may have refused it
   * after the work. `kept`: a session that was kept, which the first connection goes on in.
   */
  return async function onConnection<T>(
    target: McpTarget,
    limits: McpLimits,
    work: (connection: McpConnection) => Promise<T>,
    kept: McpSession | null = null,
  ): Promise<T> {
    let refused: Era | undefined;
    let session = kept;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const connection = await connectTo(target, limits, { refused, session });
        if (!session) eras.set(target.cacheKey, connection.era);
        try {
          return await work(connection);
        } finally {
          connection.end();
        }
      } catch (error) {
        if (!(error instanceof Stale)) throw error;
        if (error.era) eras.forget(target.cacheKey);
        if (attempt > 1) throw agentFailure('the server forgets what was agreed', error);
        refused = error.era ?? undefined;
        session = null;
      }
    }
  };
}

/**
 * Creates a client. Its methods throw `EgressError` (address, connection, deadline, size, abort), and
 * `MarketError('agent_error')` for all other failures of the server, including JSON-RPC errors.
 */
export function createMcpClient({ egress }: { egress: Egress }) {
  const onConnection = createConnector(egress);
  const taskTools = createTaskTools();

  return {
    /** Lists the tools as the server describes them, in its order. */
    listTools: (target: McpTarget, limits: McpLimits): Promise<JsonObject[]> =>
      onConnection(target, limits, (connection) => allTools(connection, target)),

    /** Lists the tools, with what else the server says that it offers; `{}` if it does not say. */
    survey: (target: McpTarget, limits: McpLimits): Promise<ServerSurvey> =>
      onConnection(target, limits, async (connection) => ({
        tools: await allTools(connection, target),
        capabilities: asRecord(await connection.capabilities().catch(() => undefined)),
      })),

    /** What the server says that it offers; `{}` if that is no object. */
    capabilities: async (target: McpTarget, limits: McpLimits): Promise<JsonObject> =>
      asRecord(await onConnection(target, limits, (connection) => connection.capabilities())),

    /** Sends a request about something else than tools. Returns the server's reply, also its refusal. */
    request: (target: McpTarget, { method, params }: McpQuestion, limits: McpLimits): Promise<RpcReply> =>
      onConnection(target, limits, (connection) => {
        const round = connection.era === 'modern' ? target.caller?.round : null;
        return connection.request(method, { ...params, ...round });
      }),

    /**
     * Calls a tool. If the server requires arguments in headers (`x-mcp-header`), reads the tool's schema and retries.
     * Returns where the task is if the server made one, which it may only if the target takes tasks.
     */
    callTool(target: McpTarget, call: ToolCall, limits: McpLimits): Promise<ToolResult | TakenTask> {
      const held = createHeldJson();
      const heard = { ...target, held, unpassed: {} };
      return onConnection(heard, limits, (connection) =>
        callOn(connection, { target: heard, taskTools, call, text: held.hold(call.json) }),
      );
    },

    /**
     * Asks for the state of a task, and for its result if it is completed. Throws `agent_unreachable` if the server
     * does not speak of the task for now.
     */
    readTask: (target: McpTarget, address: TaskAddress, limits: McpLimits): Promise<TaskState> =>
      ofTask(
        (work) => onConnection(target, limits, work, address.session),
        (connection) => readTask(connection, address),
      ),

    /** Answers a form of a task. Throws `agent_unreachable` if the server does not speak of it for now. */
    answerForm: (
      target: McpTarget,
      address: TaskAddress,
      answer: FormAnswer,
      limits: McpLimits,
    ): Promise<void> =>
      ofTask(
        (work) => onConnection(target, limits, work, address.session),
        (connection) => answerForm(connection, address, answer),
      ),

    /** Cancels a task. Throws `agent_unreachable` if the server does not speak of it for now. */
    cancelTask: (target: McpTarget, address: TaskAddress, limits: McpLimits): Promise<void> =>
      ofTask(
        (work) => onConnection(target, limits, work, address.session),
        (connection) => cancelTask(connection, address),
      ),
  };
}

interface CallOnConnection {
  target: McpTarget;
  taskTools: ReturnType<typeof createTaskTools>;
  call: ToolCall;
  /** Stands for the arguments. */
  text: ReturnType<ReturnType<typeof createHeldJson>['hold']>;
}

async function callOn(
  connection: McpConnection,
  { target, taskTools, call, text }: CallOnConnection,
): Promise<ToolResult | TakenTask> {
  const wish = await taskTools.wishOf(target, connection, call.tool, () => allTools(connection, target));
  const round = connection.era === 'modern' ? target.caller?.round : null;
  const params = { name: call.tool, arguments: text, ...round, ...wish };
  let reply = await answered(target, params, (whole) => connection.request('tools/call', whole));
  if (reply.kind === 'refused' && reply.code === HEADER_MISMATCH) {
    const tools = await allTools(connection, target);
    const tool = tools.find(({ name }) => name === call.tool);
    reply = await connection.request('tools/call', params, paramHeadersOf(tool, call.shortArguments));
  }
  if (reply.kind === 'refused' && needsTasks(reply)) throw undeclared();
  if (reply.kind === 'refused') throw refusalOf(reply, target);
  if (reply.tool?.json && reply.tool.asks) requirePassable(reply.tool.asks, target);
  if (!reply.tool) throw agentFailure('not the reply to a tool call');
  if (reply.tool.json) return reply.tool;
  if (!target.tasks) throw undeclared();
  connection.keep();
  const { task } = reply.tool;
  return { task, address: { taskId: task.taskId, session: connection.session } };
}

/** What a server says of itself. */
export interface ServerSurvey {
  tools: JsonObject[];
  capabilities: JsonObject;
}

/** A request that is passed on. */
export interface McpQuestion {
  method: string;
  params: JsonObject;
}

/** The task that a server has made of a tool call, and where it is asked about it. */
export interface TakenTask {
  task: McpTask;
  address: TaskAddress;
}

/** The words for a server that makes tasks of calls although the agent takes no jobs. */
export const UNDECLARED_TASKS = 'The MCP server makes tasks of calls, and the agent does not declare jobs.';

const undeclared = () => new MarketError('agent_error', { agentMessage: UNDECLARED_TASKS });

function needsTasks({ code, data }: Extract<RpcReply, { kind: 'refused' }>): boolean {
  if (code !== MISSING_CAPABILITY || !isRecord(data)) return false;
  const { requiredCapabilities: required } = data;
  return isRecord(required) && isRecord(required['extensions']) && TASKS_EXTENSION in required['extensions'];
}

export type McpClient = ReturnType<typeof createMcpClient>;

async function allTools(connection: McpConnection, target: McpTarget): Promise<JsonObject[]> {
  const tools: JsonObject[] = [];
  let bytes = 0;
  let cursor: string | undefined;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const reply = await connection.request('tools/list', cursor === undefined ? {} : { cursor });
    if (reply.kind === 'refused') throw refusalOf(reply, target);
    const { tools: found, nextCursor } = completeResult(reply.result);
    if (!Array.isArray(found) || !found.every(isTool)) throw agentFailure('not a list of tools');
    bytes += JSON.stringify(found).length;
    tools.push(...found);
    if (tools.length > MAX_TOOLS || bytes > MAX_LIST_BYTES) throw tooManyTools();
    if (nextCursor === undefined || nextCursor === null) return tools;
    if (typeof nextCursor !== 'string' || nextCursor === cursor) throw agentFailure('not a cursor');
    cursor = nextCursor;
  }
  throw agentFailure('the list of tools does not end');
}

const tooManyTools = () =>
  new MarketError('agent_error', {
    agentMessage: `The MCP server lists too many tools: a list has at most ${MAX_TOOLS} tools and ${MAX_LIST_BYTES / 1024 ** 2} MiB.`,
  });

function isTool(value: unknown): value is JsonObject {
  return isRecord(value) && typeof value['name'] === 'string';
}

/** The last known era of each server. The least recently used ones are evicted first. */
function createEraMemory() {
  const eras = new BoundedMap<string, Era>(MAX_REMEMBERED);
  return {
    get: (key: string) => eras.get(key),
    forget: (key: string) => void eras.delete(key),
    set: (key: string, era: Era) => void eras.set(key, era),
  };
}

/** Our MCP client before one hand-written server. */
import { MarketError } from '../../../src/domain/errors';
import { createEgress } from '../../../src/egress/agent-call';
import { EgressError } from '../../../src/egress/egress-error';
import { performAnswerTask } from '../../../src/services/calls/answers/answer-task';
import { createMcpClient, type McpClient } from '../../../src/services/mcp/client';
import type { McpTarget } from '../../../src/services/mcp/target';
import type { ToolResult } from '../../../src/services/mcp/protocol';
import type { FormAnswer, TaskAddress } from '../../../src/services/mcp/tasks';
import { divideToolCall, type ToolCall } from '../../../src/services/mcp/tool-call';
import { messageOf } from '../agents/mcp-script';
import { startAgent } from '../agents/test-agent';
import { egressSettings } from '../stack/egress';

export const toolCall = (tool: string, args: Record<string, unknown>): ToolCall =>
  divideToolCall(Buffer.from(JSON.stringify({ tool, arguments: args })));

/** Reads messages without a thread. */
export const read: McpTarget['read'] = {
  toolReply: async (message, id, about) => performAnswerTask({ kind: 'tool_reply', id, about }, message),
  message: async (message) => performAnswerTask({ kind: 'message' }, message).value,
};

/** The result of a tool that its server did not make a task of. */
export function untaken(answer: Awaited<ReturnType<McpClient['callTool']>>): ToolResult {
  if ('task' in answer && !('json' in answer)) throw new Error(`a task: ${answer.task.taskId}`);
  return answer as ToolResult;
}

export type McpClientFixture = Awaited<ReturnType<typeof startMcpClientFixture>>;

export async function startMcpClientFixture() {
  const server = await startAgent();
  const egress = createEgress(egressSettings());
  let client: McpClient = createMcpClient({ egress });
  let keys = 0;

  /** A server that the client has not met. */
  function targetOf(more: Partial<McpTarget> = {}): McpTarget {
    keys += 1;
    return {
      url: `${server.url}/mcp`,
      headers: { 'x-key': 'secret' },
      cacheKey: `v${keys}`,
      read,
      ...more,
    };
  }

  const limits = (timeoutMs: number) => ({ deadlineMs: Date.now() + timeoutMs, maxResponseBytes: 1_000_000 });
  return {
    server,
    targetOf,
    /** Calls the tool `echo`. */
    call: async (target = targetOf(), args: Record<string, unknown> = {}, timeoutMs = 5_000) =>
      untaken(await client.callTool(target, toolCall('echo', args), limits(timeoutMs))),
    /** Calls a tool that may become a task, and what follows it. */
    start: (target: McpTarget, tool = 'echo') => client.callTool(target, toolCall(tool, {}), limits(5_000)),
    readTask: (target: McpTarget, address: TaskAddress) => client.readTask(target, address, limits(5_000)),
    answerForm: (target: McpTarget, address: TaskAddress, answer: FormAnswer) =>
      client.answerForm(target, address, answer, limits(5_000)),
    cancelTask: (target: McpTarget, address: TaskAddress) =>
      client.cancelTask(target, address, limits(5_000)),
    list: (target = targetOf()) => client.listTools(target, limits(5_000)),
    /** Counts the messages so far, without the end of the session, for which no client waits. */
    methods: () =>
      server.deliveries
        .filter(({ method }) => method === 'POST')
        .map((delivery) => messageOf(delivery).method),
    /** A client and a server without any state. */
    reset() {
      server.forget();
      client = createMcpClient({ egress });
    },
    async stop() {
      await egress.close();
      await server.stop();
    },
  };
}

/** The kind or code of the failure of a call that must fail. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    (value) => new Error(`answered: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof EgressError) return error.kind;
  if (error instanceof MarketError) return error.code;
  throw error;
}

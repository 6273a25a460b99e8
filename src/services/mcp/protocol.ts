/**
 * The wire format of MCP (specification, revisions 2024-11-05 to 2026-07-28): JSON-RPC messages, and the headers that
 * repeat parts of them. There are two eras: `legacy` begins with a handshake and may have sessions; in `modern`, every
 * request is self-contained.
 */
import type { AnswerFindings } from '../../domain/calls/answer-findings';
import type { UnpassedProblem } from '../../domain/jobs/unpassed';
import { MarketError } from '../../domain/errors';
import { isRecord } from '../../domain/json-value';

export type Era = 'modern' | 'legacy';

export const MODERN_VERSION = '2026-07-28';
export const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
export const LATEST_LEGACY_VERSION = '2025-11-25';

/** JSON-RPC codes that only modern servers return. */
export const HEADER_MISMATCH = -32020;
export const MISSING_CAPABILITY = -32021;
export const UNSUPPORTED_VERSION = -32022;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** Codes with which a modern server may refuse a request. Other codes mean that the server is not modern. */
const CODES_OF_THE_ERA: ReadonlySet<number> = new Set([
  HEADER_MISMATCH,
  MISSING_CAPABILITY,
  METHOD_NOT_FOUND,
  INVALID_PARAMS,
  INTERNAL_ERROR,
]);

const CLIENT = { name: 'agent-marketplace', version: '1.0.0' };
const META = 'io.modelcontextprotocol/';
/** The extension of the modern era by which a server may answer a tool call with a task. */
export const TASKS_EXTENSION = `${META}tasks`;
/**
 * The extension of clients that show pages of MCP Apps (`ui://`). Servers offer pages only to clients that declare it,
 * and lists of tools are kept for all buyers, so every request declares it (ADR 0359).
 */
const SHOWS_PAGES = { [`${META}ui`]: { mimeTypes: ['text/html;profile=mcp-app'] } };
/** Keys in the metadata of a result under which a server names itself, and its task. */
export const HIDDEN_META: readonly string[] = [`${META}serverInfo`, `${META}related-task`];
export type JsonObject = Record<string, unknown>;

export interface RpcRequest {
  jsonrpc: '2.0';
  id: number;
  method: string;
  params: JsonObject;
}

export interface RpcNotification {
  jsonrpc: '2.0';
  method: string;
}

/** The answer to a request of the server. */
export interface RpcResponse {
  jsonrpc: '2.0';
  id: unknown;
  result?: JsonObject;
  error?: { code: number; message: string };
}

export interface ToolResult {
  /** The result of the server, re-serialized. */
  json: Buffer;
  /** SHA-256 of its canonical form (RFC 8785), in hex. */
  sha256: string;
  /** True if the tool itself reports a failure. */
  isError: boolean;
  /** The tool needs input before it has a result (2026-07-28). `refused`: why its requests cannot pass to a client. */
  asks?: { refused: UnpassedProblem | null };
  /** What the reader of a large reply found out about it. */
  found?: AnswerFindings;
}

/** What a server says of a task that it has made of a call. */
export interface McpTask {
  taskId: string;
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  /** A line of the server about the task; null if it says nothing. */
  message: string | null;
  /** When the server wants to be asked again, in ms from now; null if it does not say. */
  pollMs: number | null;
  /** What the server wants to know before it goes on, if it has said so: forms for the user. */
  asks?: McpForm[];
}

/** A form that an MCP server wants filled in (elicitation). Prompt and schema are as the server sent them. */
export interface McpForm {
  key: string;
  prompt: unknown;
  schema: unknown;
}

/** The result of a tool, the state of its task, or the state of a completed task with its result. */
export type ToolAnswer = (ToolResult & { task?: McpTask }) | { task: McpTask; json?: undefined };

/**
 * A server's reply: its result, or its refusal (`code` is null if it is not a JSON-RPC error). `tool`: set instead of
 * `result` for a tool call and its task, whose result may be large.
 */
export type RpcReply =
  | { kind: 'result'; result: JsonObject; tool?: ToolAnswer; sessionId: string | null }
  | { kind: 'refused'; status: number; code: number | null; data: unknown; message?: string };

/** The parameters of `initialize`. `asks`: the client of the call shows forms. */
export function handshake(asks: boolean): JsonObject {
  const capabilities = { ...(asks && { elicitation: { form: {} } }), extensions: SHOWS_PAGES };
  return { protocolVersion: LATEST_LEGACY_VERSION, capabilities, clientInfo: CLIENT };
}

/** What the sender of a modern request can do. `asks`: it takes forms; `tasks`: the reply may be a task. */
interface ModernOffer {
  tasks?: boolean;
  asks?: boolean;
}

/** The metadata of every modern request, in addition to its parameters. */
export function modernMeta({ tasks = false, asks = tasks }: ModernOffer = {}): JsonObject {
  return {
    [`${META}protocolVersion`]: MODERN_VERSION,
    [`${META}clientInfo`]: CLIENT,
    [`${META}clientCapabilities`]: {
      extensions: { ...SHOWS_PAGES, ...(tasks && { [TASKS_EXTENSION]: {} }) },
      ...(asks && { elicitation: { form: {} } }),
    },
  };
}

/** Methods of which one parameter must be repeated in `Mcp-Name`. */
const NAMED_BY: Readonly<Record<string, string | undefined>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** The headers that a modern request must repeat. */
export function modernHeaders({ method, params }: RpcRequest): Record<string, string> {
  const name = params[NAMED_BY[method] ?? ''];
  return {
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
  };
}

/** Encodes text for a header: unchanged if possible, else in base64 between the protocol's markers. */
export function headerValue(text: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** Returns true for a refusal that no modern server gives: the server has changed its era. */
export function isForeignRefusal({ status, code }: Extract<RpcReply, { kind: 'refused' }>): boolean {
  if (code === UNSUPPORTED_VERSION) return true;
  return [400, 404, 405].includes(status) && (code === null || !CODES_OF_THE_ERA.has(code));
}

/**
 * Returns the answer to request `id` from a message; undefined if the message contains only notifications, requests of
 * the server, or answers to other ids. An error without an id counts as the answer. Throws `agent_error` if it is not
 * JSON-RPC.
 */
export function replyIn(
  value: unknown,
  id: number,
  head: { status: number; sessionId: string | null },
): RpcReply | undefined {
  for (const message of Array.isArray(value) ? (value as unknown[]) : [value]) {
    if (!isRecord(message) || message['jsonrpc'] !== '2.0') throw agentFailure('not a JSON-RPC message');
    if ('method' in message) continue;
    const { error, result } = message;
    const isAnonymousError = isRecord(error) && (message['id'] === null || message['id'] === undefined);
    if (message['id'] !== id && !isAnonymousError) continue;
    if (isRecord(result) && error === undefined) {
      return { kind: 'result', result, sessionId: head.sessionId };
    }
    if (!isRecord(error) || !Number.isInteger(error['code']) || result !== undefined) {
      throw agentFailure('neither a result nor an error');
    }
    const { code, message: said, data } = error;
    const words = typeof said === 'string' ? { message: said } : {};
    return { kind: 'refused', status: head.status, code: code as number, data, ...words };
  }
  return undefined;
}

/** A server refused the parameters of a request. */
class InvalidParams extends Error {}

/** The failure of a request that a server refused. The reason is for logs. */
export function refusedBy({ status, code }: { status: number; code: number | null }): MarketError {
  const reason = `refused: ${status}, ${code}`;
  return agentFailure(reason, code === INVALID_PARAMS ? new InvalidParams(`MCP: ${reason}`) : undefined);
}

/** True if the server refused the parameters, such as the arguments of a tool. */
export const isInvalidParams = ({ cause }: MarketError): boolean => cause instanceof InvalidParams;

/** An `agent_error` for an invalid answer of a server. The reason is for logs. */
export function agentFailure(reason: string, cause?: unknown): MarketError {
  return new MarketError('agent_error', { cause: cause ?? new Error(`MCP: ${reason}`) });
}

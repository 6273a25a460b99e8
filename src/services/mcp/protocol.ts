/**
 * What goes over the wire to an MCP server (specification of MCP, revisions 2024-11-05 to 2026-07-28): JSON-RPC
 * messages and the headers that repeat parts of them. Two eras: `legacy` begins with a handshake and may have sessions,
 * `modern` says everything in each request.
 */
import { MarketError } from '../../domain/errors';

export type Era = 'modern' | 'legacy';

export const MODERN_VERSION = '2026-07-28';
export const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
export const LATEST_LEGACY_VERSION = '2025-11-25';

/** JSON-RPC codes that only a modern server answers. */
export const HEADER_MISMATCH = -32020;
export const MISSING_CAPABILITY = -32021;
export const UNSUPPORTED_VERSION = -32022;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
/** With one of these a refusal is about the request; with any other a modern server would not refuse it so. */
const CODES_OF_THE_ERA: ReadonlySet<number> = new Set([
  HEADER_MISMATCH, MISSING_CAPABILITY, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR,
]); // prettier-ignore

const CLIENT = { name: 'agent-marketplace', version: '1.0.0' };
const META = 'io.modelcontextprotocol/';

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

/** What a server answered to a request: its result, or why it refused (`code` null: not in terms of JSON-RPC). */
export type RpcReply =
  | { kind: 'result'; result: JsonObject; sessionId: string | null }
  | { kind: 'refused'; status: number; code: number | null; data: unknown };

/** The parameters of `initialize`. */
export function handshake(): JsonObject {
  return { protocolVersion: LATEST_LEGACY_VERSION, capabilities: {}, clientInfo: CLIENT };
}

/** What every modern request carries beside its own parameters. */
export function modernMeta(): JsonObject {
  return {
    [`${META}protocolVersion`]: MODERN_VERSION,
    [`${META}clientInfo`]: CLIENT,
    [`${META}clientCapabilities`]: {},
  };
}

/** The headers that a modern request must repeat. */
export function modernHeaders({ method, params }: RpcRequest): Record<string, string> {
  return {
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': method,
    ...(method === 'tools/call' && typeof params['name'] === 'string'
      ? { 'mcp-name': headerValue(params['name']) }
      : {}),
  };
}

/** Text as a header may hold it: as it is, or in base64 between the marks that the protocol names. */
export function headerValue(text: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** A refusal that no modern server gives: the server speaks another era than it did. */
export function isForeignRefusal({ status, code }: Extract<RpcReply, { kind: 'refused' }>): boolean {
  if (code === UNSUPPORTED_VERSION) return true;
  return [400, 404, 405].includes(status) && (code === null || !CODES_OF_THE_ERA.has(code));
}

/**
 * The answer to request `id` in a message, if it is one: notifications, requests of the server and answers to other
 * ids are none. An error without an id answers whatever was asked. Throws `agent_error` for what is not JSON-RPC.
 */
export function replyIn(
  value: unknown,
  id: number,
  head: { status: number; sessionId: string | null },
): RpcReply | undefined {
  for (const message of Array.isArray(value) ? (value as unknown[]) : [value]) {
    if (!isObject(message) || message['jsonrpc'] !== '2.0') throw agentFailure('not a JSON-RPC message');
    if ('method' in message) continue;
    const { error, result } = message;
    const isAnonymousError = isObject(error) && (message['id'] === null || message['id'] === undefined);
    if (message['id'] !== id && !isAnonymousError) continue;
    if (isObject(result) && error === undefined) {
      return { kind: 'result', result, sessionId: head.sessionId };
    }
    if (!isObject(error) || !Number.isInteger(error['code']) || result !== undefined) {
      throw agentFailure('neither a result nor an error');
    }
    return { kind: 'refused', status: head.status, code: error['code'] as number, data: error['data'] };
  }
  return undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whatever is wrong with a server's answer is the agent's error; the reason is for logs. */
export function agentFailure(reason: string, cause?: unknown): MarketError {
  return new MarketError('agent_error', { cause: cause ?? new Error(`MCP: ${reason}`) });
}

import { McpFault, RPC, type McpMessage, type RpcId } from './protocol';
import { isRecord } from '../../../domain/json-value';

/**
 * Reads one JSON-RPC request or notification. Throws -32600 with status 400 for a batch (removed from MCP in
 * 2025-06-18, and it would allow many paid calls in one request), for a response (we send no requests), and for other
 * values.
 */
export function toMessage(body: unknown): McpMessage {
  const message = isRecord(body) ? body : undefined;
  const id = idOf(message);
  const refuse = (why: string) => new McpFault(RPC.invalidRequest, why, { status: 400, id });
  if (Array.isArray(body)) throw refuse('Batches are not taken: send one message.');
  if (message?.jsonrpc !== '2.0')
    throw refuse('This is no JSON-RPC 2.0 message: send {"jsonrpc": "2.0", "id": …, "method": …}.');
  const { method } = message;
  const params = message['params'] ?? undefined;
  if (typeof method !== 'string') throw refuse('Only requests and notifications are taken.');
  if (Object.hasOwn(message, 'id') && id === undefined) throw refuse('id must be a string or an integer.');
  if (params !== undefined && !isRecord(params)) throw refuse('params must be an object.');
  return { id, method, params: withoutNulls(params) };
}

/**
 * Parameters without members that are null, also in `_meta`: many serializers write null for a member that is absent.
 */
function withoutNulls(params: Record<string, unknown> = {}): Record<string, unknown> {
  const set = (some: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(some).filter(([, value]) => value !== null));
  const { _meta: meta, ...rest } = set(params);
  return { ...rest, ...(meta !== undefined && { _meta: isRecord(meta) ? set(meta) : meta }) };
}

function idOf(message: Record<string, unknown> | undefined): RpcId | undefined {
  const id = message?.id;
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : undefined;
}

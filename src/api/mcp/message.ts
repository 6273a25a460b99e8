import { asObject, McpFault, RPC, type McpMessage, type RpcId } from './protocol';

/**
 * One JSON-RPC request or notification of a body. Throws -32600 with status 400 for a batch (gone since 2025-06-18, and
 * many paid calls in one request), for an answer (we never asked anything) and for what is no JSON-RPC at all.
 */
export function toMessage(body: unknown): McpMessage {
  if (Array.isArray(body)) throw invalid('Batches are not taken: send one message.');
  const message = asObject(body);
  if (message?.jsonrpc !== '2.0') throw invalid('This is no JSON-RPC 2.0 message.');
  const { method, params } = message;
  if (typeof method !== 'string') throw invalid('Only requests and notifications are taken.');
  if (Object.hasOwn(message, 'id') && idOf(body) === null)
    throw invalid('id must be a string or an integer.');
  if (params !== undefined && !asObject(params)) throw invalid('params must be an object.');
  return { id: idOf(body) ?? undefined, method, params: asObject(params) ?? {} };
}

/** The id to which an answer belongs; null where none can be read. */
export function idOf(body: unknown): RpcId | null {
  const id = asObject(body)?.id;
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : null;
}

function invalid(message: string): McpFault {
  return new McpFault(RPC.invalidRequest, message, { status: 400 });
}

import { MarketError } from '../../domain/errors';
import { isRecord } from '../../domain/json-value';

/**
 * Checks that a body is one JSON-RPC 2.0 request and returns it. Throws `malformed_request` (-32600), because the
 * protocol library reports a malformed envelope as wrong parameters. The parameters are the library's to check; the
 * ones of ListTasks are optional, so none, or null, are `{}`.
 */
export function requireEnvelope(body: unknown): Record<string, unknown> {
  const refuse = (message: string) => new MarketError('malformed_request', { message });
  if (Array.isArray(body)) throw refuse('Batches are not accepted. Send one request.');
  if (!isRecord(body) || body['jsonrpc'] !== '2.0')
    throw refuse('Send a JSON-RPC request: jsonrpc must be "2.0".');
  if (typeof body['method'] !== 'string' || body['method'] === '') throw refuse('method must be a name.');
  if (body['id'] !== undefined && body['id'] !== null && rpcIdOf(body) === null)
    throw refuse('id must be a string or an integer.');
  return body['method'] === 'ListTasks' ? { ...body, params: body['params'] ?? {} } : body;
}

/** The id of a JSON-RPC request; null if it is missing or not valid. */
export function rpcIdOf(body: unknown): string | number | null {
  const id = isRecord(body) ? body['id'] : undefined;
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : null;
}

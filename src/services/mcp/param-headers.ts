import { mirrorsOf } from '../../kit/streams/mcp-mirrors';
import { headerValue, type JsonObject } from './protocol';
import { isRecord } from '../../domain/json-value';

/** Longer values are omitted; the server then refuses the call. */
const MAX_VALUE_LENGTH = 4_096;

/** Returns the headers that repeat arguments, as the tool's schema requires (`x-mcp-header`, MCP 2026-07-28). */
export function paramHeadersOf(tool: JsonObject | undefined, args: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of mirrorsOf(tool?.['inputSchema'])) {
    const value = valueAt(args, path);
    if (!['string', 'number', 'boolean'].includes(typeof value)) continue;
    const text = headerValue(String(value));
    if (text.length <= MAX_VALUE_LENGTH) headers[header] = text;
  }
  return headers;
}

function valueAt(args: JsonObject, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined),
    args,
  );
}

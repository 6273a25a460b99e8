import { mirrorsOf } from '../../kit/streams/mcp-mirrors';
import { headerValue, isObject, type JsonObject } from './protocol';

/** What does not fit into a header is left out; the server then refuses the call. */
const MAX_VALUE_LENGTH = 4_096;

/** The headers that repeat arguments where the tool's schema asks for it (`x-mcp-header`, MCP 2026-07-28). */
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
    (at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
    args,
  );
}

/**
 * The parts of results whose work grows with the answer. Large answers are processed in a thread
 * (`bodies/body-task.ts`).
 */
import { MARKET_PREFIX } from '../../domain/calls/mcp-meta';
import { asRecord } from '../../domain/json-value';

/** What the marketplace adds to the result of an MCP server. */
export interface PassedFields {
  /** Fields before those of the server. */
  first: Record<string, unknown>;
  /** Keys of `_meta`, which the server cannot set. */
  meta: Record<string, unknown>;
}

/** JSON text as the content of a JSON string. */
export function quotedText(json: Buffer): Buffer {
  return Buffer.from(JSON.stringify(json.toString()));
}

/** A server's result with our fields. The server's `resultType`, and its keys with our prefix, are dropped. */
export function passedJson(json: Buffer, { first, meta }: PassedFields): Buffer {
  const { _meta, resultType: _theirs, ...result } = asRecord(JSON.parse(json.toString()));
  const theirs = Object.entries(asRecord(_meta)).filter(([key]) => !key.startsWith(MARKET_PREFIX));
  return Buffer.from(
    JSON.stringify({ ...first, ...result, _meta: { ...Object.fromEntries(theirs), ...meta } }),
  );
}

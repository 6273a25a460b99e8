import { shortArguments } from '../../kit/streams/mcp-mirrors';
import type { JsonObject } from './protocol';

export interface ToolCall {
  tool: string;
  /** The arguments that headers can repeat: short values and the objects around them. */
  shortArguments: JsonObject;
  /** The arguments as JSON text. */
  json: Buffer;
}

/** Schema of the input of MCP agents, on every surface: `{tool, arguments}` (contract, "Publishing"). */
export const TOOL_CALL_SCHEMA = JSON.stringify({
  type: 'object',
  required: ['tool'],
  properties: {
    tool: { type: 'string', minLength: 1, maxLength: 256 },
    arguments: { type: 'object' },
  },
  additionalProperties: false,
});

/** Divides an input that matches the schema. Missing arguments become `{}`. */
export function divideToolCall(input: Buffer): ToolCall {
  const { tool, arguments: given = {} } = JSON.parse(input.toString()) as {
    tool: string;
    arguments?: JsonObject;
  };
  return { tool, shortArguments: shortArguments(given), json: Buffer.from(JSON.stringify(given)) };
}

import type { ToolCall } from './client';

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

/** Parses an input that matches the schema. Missing arguments become `{}`. */
export function parseToolCall(input: Buffer): ToolCall {
  const call = JSON.parse(input.toString()) as Partial<ToolCall> & Pick<ToolCall, 'tool'>;
  return { tool: call.tool, arguments: call.arguments ?? {} };
}

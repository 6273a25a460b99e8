import { describeSpan } from '../../kit/tracing';

/** The form of the names of tools. Other text of a caller stays out of spans. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * Adds a known method, and the tool that it calls, to the span of the request (OpenTelemetry's conventions for MCP).
 */
export function describeMcp({
  method,
  params,
}: {
  method: string;
  params: Readonly<Record<string, unknown>>;
}): void {
  const isCall = method === 'tools/call';
  const { name } = params;
  describeSpan({
    'mcp.method.name': method,
    ...(isCall && { 'gen_ai.operation.name': 'execute_tool' }),
    ...(isCall && typeof name === 'string' && TOOL_NAME.test(name) && { 'gen_ai.tool.name': name }),
  });
}

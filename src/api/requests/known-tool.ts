import { MarketError } from '../../domain/errors';
import type { McpTools } from '../../services/mcp/mcp-tools';
import type { ServingVersion } from '../../services/catalogue/serving-version-cache';

/** At most so many names, and characters of each, are shown: the server of the agent chooses them. */
const MAX_NAMES = 50;
const MAX_NAME = 128;

export type ToolLists = Pick<McpTools, 'of' | 'find' | 'isKnown'>;

export interface NamedTool {
  version: ServingVersion;
  name: string;
  hops: number;
}

/**
 * The error `input_schema_mismatch` with the names of the agent's tools if the call names another one. With `cached`,
 * the agent's server is not asked for its list.
 */
export async function unknownTool(
  mcpTools: ToolLists,
  tool: NamedTool,
  { cached, invocationId }: { cached: boolean; invocationId?: string | undefined },
): Promise<MarketError | undefined> {
  const names = await othersThan(mcpTools, tool, cached);
  if (!names) return undefined;
  if (typeof names === 'string') return errorOf(names, invocationId);
  const shown = names.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME));
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : '';
  const list = names.length === 0 ? 'It has none.' : `Its tools are: ${shown.join(', ')}${more}.`;
  const msg = `The agent has no tool ${JSON.stringify(tool.name.slice(0, MAX_NAME))}. ${list}`;
  return errorOf(msg, invocationId);
}

function errorOf(msg: string, invocationId: string | undefined): MarketError {
  return new MarketError('input_schema_mismatch', {
    message: msg,
    detail: [{ loc: ['body', 'input', 'tool'], msg, type: 'unknown_tool' }],
    invocationId,
  });
}

/**
 * The names of the tools if `name` is none of them, or why it is not available. Undefined if it is one of them, or if
 * the server does not list its tools.
 */
async function othersThan(
  mcpTools: ToolLists,
  { version, name, hops }: NamedTool,
  cached: boolean,
): Promise<readonly string[] | string | undefined> {
  if (cached && !(await mcpTools.isKnown(version))) return undefined;
  try {
    const found = await mcpTools.find(version, name, hops);
    if (found) return found.gone;
    return (await mcpTools.of(version, hops)).names;
  } catch (error) {
    if (error instanceof MarketError) return undefined;
    throw error;
  }
}

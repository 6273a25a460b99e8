/** The tools of MCP agents for their cards. Names and texts are those of an untrusted server, so they are bounded. */
import type { SkillTool } from '../../domain/a2a/a2a-card';
import type { Viewer } from '../../domain/catalogue/agent-state';
import { asRecord, isStorable } from '../../domain/json-value';
import type { ServingVersions } from '../catalogue/serving-version-cache';
import { type AgentTools, type McpTools, toolsInTime } from '../mcp/mcp-tools';

export interface CardToolsDeps {
  servingVersions: Pick<ServingVersions, 'ofAgent'>;
  mcpTools: Pick<McpTools, 'of'>;
}

const MOST_TOOLS = 100;
const MOST_NAME = 128;
const MOST_TEXT = 500;
const MOST_EXAMPLE = 2_000;

export function createCardTools({ servingVersions, mcpTools }: CardToolsDeps) {
  const read = new WeakMap<AgentTools, readonly SkillTool[]>();

  /** Returns the tools of an agent's server; none if it does not list them now. */
  return async function toolsOf(agentId: string, viewer: Viewer): Promise<readonly SkillTool[]> {
    const listed = await toolsInTime(listTools(agentId, viewer));
    if (!listed) return [];
    const tools = read.get(listed) ?? skillTools(JSON.parse(listed.json('modern').toString()) as unknown[]);
    read.set(listed, tools);
    return tools;
  };

  async function listTools(agentId: string, viewer: Viewer): Promise<AgentTools> {
    return mcpTools.of(await servingVersions.ofAgent(agentId, viewer), 0);
  }
}

/** The first tools with names of their own, with texts of a bounded length. */
export function skillTools(listed: readonly unknown[]): SkillTool[] {
  const found = new Map<string, SkillTool>();
  for (const entry of listed) {
    const { name, title, description, annotations, inputSchema } = asRecord(entry);
    if (found.size >= MOST_TOOLS) break;
    if (
      typeof name !== 'string' ||
      name === '' ||
      name.length > MOST_NAME ||
      !isStorable(name) ||
      found.has(name)
    )
      continue;
    const shown = textOf(title) ?? textOf(asRecord(annotations)['title']) ?? name;
    const text = textOf(description) ?? shown;
    found.set(name, {
      name,
      title: shown.slice(0, MOST_NAME),
      description: text,
      example: exampleOf(inputSchema),
    });
  }
  return [...found.values()];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && isStorable(value)
    ? value.slice(0, MOST_TEXT)
    : undefined;
}

/** The first example of the schema, or no arguments for a tool that requires none. */
function exampleOf(inputSchema: unknown): unknown {
  const { examples, required } = asRecord(inputSchema);
  const first: unknown = Array.isArray(examples) ? examples[0] : undefined;
  if (first !== undefined) return JSON.stringify(first).length > MOST_EXAMPLE ? undefined : first;
  return Array.isArray(required) && required.length > 0 ? undefined : {};
}

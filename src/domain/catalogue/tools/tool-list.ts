/**
 * The list of tools of an MCP agent as it is verified and served (ADR 0404): the definitions that its server gives,
 * whole. They are untrusted data.
 */
export type Tool = Readonly<Record<string, unknown>>;

/** `candidate`: waits for a verification, or is looked at by one. `replaced`: was verified before another one was. */
export const TOOL_LIST_STATES = ['candidate', 'verified', 'refused', 'replaced'] as const;
export type ToolListState = (typeof TOOL_LIST_STATES)[number];

/**
 * The tools of a list that are served: the first of each name, in the order of their server. How the server makes tasks
 * is not part of them, because the service makes the calls of buyers (ADR 0314).
 */
export function servedTools(listed: readonly Tool[]): Tool[] {
  const byName = new Map<unknown, Tool>();
  for (const { execution: _, ...tool } of listed)
    if (typeof tool['name'] === 'string' && !byName.has(tool['name'])) byName.set(tool['name'], tool);
  return [...byName.values()];
}

/** Sorted by name (UTF-16 code units), so that a server may list the same tools in another order. */
export function byName(tools: readonly Tool[]): Tool[] {
  const names = new Map(tools.map((tool) => [String(tool['name']), tool]));
  return [...names.keys()].sort().map((name) => names.get(name)!);
}

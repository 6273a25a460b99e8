/**
 * The tools of the agents that a connection pins (ADR 0335). They take what the agent takes, and answer as `call_agent`
 * does, so that a call by either of them goes on, is answered and is disputed in the same way.
 */
import { pageAtMarket, pageOfTool } from '../../../domain/calls/page-address';
import { MARKET_META } from '../../../domain/calls/mcp-meta';
import { asRecord } from '../../../domain/json-value';
import type { PinnedAgent, ServingVersion } from '../../../services/catalogue/serving-version-cache';
import { type McpTools, toolsInTime } from '../../../services/mcp/mcp-tools';
import { mayBeToolOf, pinnedName } from '../../../services/mcp/pinned-names';
import { costText } from '../cost-text';
import type { McpExchange } from '../wire/mcp-request';
import type { CallAgentDeps } from './call-agent';
import { CALL_ANNOTATIONS, CALL_OUTPUT } from './tool-list';

/** Tools of pinned agents in one list. */
const MOST_TOOLS = 40;
/** Longer definitions are not listed: `call_agent` calls these tools. */
const MOST_TOOL_CHARACTERS = 64 * 1024;
const MOST_DESCRIPTION = 2_000;
/** Keywords that mean something else inside another schema. */
const NOT_MOVABLE = /"\$(?:ref|id|defs|anchor|dynamicRef|dynamicAnchor|schema)"\s*:/;

type Tool = Record<string, unknown>;

/** What a tool of a pinned agent calls. `version` is absent if the agent is not live. */
export interface PinnedTarget {
  version: ServingVersion | undefined;
  /** The tool of an agent that is an MCP server. */
  tool: string | undefined;
}

/** The agents that the connection pins. A session pins none. */
const pinsOf = ({ servingVersions }: CallAgentDeps, { principal }: McpExchange): Promise<PinnedAgent[]> =>
  principal.key ? servingVersions.ofPins(principal.userId, principal.key.keyId) : Promise.resolve([]);

/** The tools of the pinned agents that are live: the first of each agent, then the others, in the order of the pins. */
export async function pinnedTools(deps: CallAgentDeps, request: McpExchange): Promise<Tool[]> {
  const versions = (await pinsOf(deps, request)).flatMap(({ version }) => version ?? []);
  const lists = await Promise.all(versions.map((version) => toolsOf(deps.mcpTools, version, request)));
  let others = MOST_TOOLS - lists.filter((tools) => tools.length > 0).length;
  return lists.flatMap((tools) => {
    const shown = tools.slice(0, 1 + others);
    others -= Math.max(0, shown.length - 1);
    return shown;
  });
}

/** What the tool of a name calls; undefined if no pinned agent has such a tool. */
export async function pinnedTarget(
  deps: CallAgentDeps,
  request: McpExchange,
  name: string,
): Promise<PinnedTarget | undefined> {
  let gone: PinnedTarget | undefined;
  for (const { agentId, version } of await pinsOf(deps, request)) {
    if (name === pinnedName(agentId)) return { version, tool: undefined };
    if (!mayBeToolOf(agentId, name)) continue;
    // Cut names of two agents can begin alike.
    if (!version) gone = { version, tool: undefined };
    if (version?.kind !== 'mcp') continue;
    const { names } = await deps.mcpTools.of(version, request.hops);
    const tool = names.find((each) => pinnedName(agentId, each) === name);
    if (tool !== undefined) return { version, tool };
  }
  return gone;
}

async function toolsOf(mcpTools: McpTools, version: ServingVersion, request: McpExchange): Promise<Tool[]> {
  if (version.kind !== 'mcp') return [toolOf(version, request)];
  const listed = await toolsInTime(mcpTools.of(version, request.hops));
  if (!listed) return [];
  const all = JSON.parse(listed.json(request.era).toString()) as Tool[];
  const known = new Set<unknown>();
  const first = all.filter(({ name }) => typeof name === 'string' && !known.has(name) && known.add(name));
  // Pages call tools by the names of their own server, which the market does not know.
  const forModels = first.filter(({ _meta }) => !pageOfTool(asRecord(_meta)).isForPagesOnly);
  return forModels
    .map((tool) => withDigest(toolOf(version, request, tool), listed.digest))
    .filter((tool) => JSON.stringify(tool).length <= MOST_TOOL_CHARACTERS)
    .slice(0, MOST_TOOLS);
}

/** Each tool of a server names the digest of the verified list that it is from. */
function withDigest(tool: Tool, digest: string | undefined): Tool {
  if (digest === undefined) return tool;
  return { ...tool, _meta: { ...asRecord(tool['_meta']), [MARKET_META.toolsDigest]: digest } };
}

/** The tool of an agent, or one of the tools of its server. */
function toolOf(version: ServingVersion, { era }: McpExchange, own?: Tool): Tool {
  const { agentId, displayName, description } = version;
  const annotations = asRecord(own?.['annotations']);
  const name = own && textOf(own['name']);
  const title = textOf(own?.['title']) || textOf(annotations['title']) || name;
  const words = own ? textOf(own['description']) : description;
  const terse = `A tool of the agent ${agentId} of the market. A call costs ${costText(version)}; one that fails is free.`;
  const page = pageOfTool(asRecord(own?.['_meta'])).uri;
  const input = own ? asRecord(own['inputSchema']) : schemaOf(version.inputSchema);
  return {
    name: pinnedName(agentId, name),
    title: own ? `${title} (${displayName})` : displayName,
    description: `${words.slice(0, MOST_DESCRIPTION)}\n\n${terse}`.trim(),
    inputSchema: input['type'] === 'object' ? input : { ...input, type: 'object' },
    // A page reads the structure of its own server.
    ...(page === undefined
      ? { outputSchema: own ? CALL_OUTPUT : outputOf(version) }
      : { _meta: { ui: { resourceUri: pageAtMarket(agentId, page) } } }),
    annotations: Object.keys(annotations).length > 0 ? annotations : CALL_ANNOTATIONS,
    ...(era === 'legacy' && { execution: { taskSupport: 'optional' } }),
  };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

const schemaOf = (json: string | null) => asRecord(json === null ? {} : JSON.parse(json));

/** The schema of a call, whose output has the schema of the agent where that can be a part of another schema. */
function outputOf({ outputSchema }: ServingVersion): Tool {
  if (outputSchema === null || NOT_MOVABLE.test(outputSchema)) return CALL_OUTPUT;
  const properties = asRecord(CALL_OUTPUT['properties']);
  return { ...CALL_OUTPUT, properties: { ...properties, output: schemaOf(outputSchema) } };
}

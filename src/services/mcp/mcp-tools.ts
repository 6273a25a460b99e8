/**
 * The tools of an agent in its role as an MCP server. Agents with a manifest or a plain endpoint have one tool,
 * `invoke`, with the schemas of the manifest. The tools of an MCP agent are those of the list that its verification saw
 * (ADR 0404), passed on unchanged. Their schemas are untrusted and treated as data: they are not compiled, and no
 * reference is followed.
 */
import { pageOfTool } from '../../domain/calls/page-address';
import { MarketError } from '../../domain/errors';
import { asRecord } from '../../domain/json-value';
import type { Tool } from '../../domain/catalogue/tools/tool-list';
import { mirrorsOf, type HeaderMirror } from '../../kit/streams/mcp-mirrors';
import { withTimeout } from '../../kit/with-timeout';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import type { Era } from './protocol';
import { shownDigest } from './notary/tool-digest';
import { createLooks, firstList, type LookDeps } from './notary/tool-looks';
import { type PinnedList, problemOf, REFUSED } from './notary/tool-notary';
import { BoundedMap } from '../../kit/bounded-map';

export interface AgentTool {
  name: string;
  /** Arguments that modern clients repeat in headers. */
  mirrors: readonly HeaderMirror[];
  /**
   * Whether results of our own tool have `structuredContent`, by era of the client. With `if_object`, this depends on
   * the output: legacy clients accept objects only.
   */
  structured: Record<Era, 'always' | 'if_object' | 'never'>;
  /** True if the listed tool has an output schema, so that clients validate `structuredContent`. */
  declaresOutput: Record<Era, boolean>;
  /** The tool of a server names a page of an MCP App. */
  hasPage?: boolean;
  /** Why the tool is not available: its server no longer lists it. */
  gone?: string | undefined;
}

export interface AgentTools {
  /** JSON text of the array of tools. */
  json(era: Era): Buffer;
  names: readonly string[];
  find(name: string): AgentTool | undefined;
  /** The digest of the verified list of a server. */
  digest?: string;
}

/** The tool of an agent that is not an MCP server. */
export const OWN_TOOL = 'invoke';
/** The second tool of such an agent that takes jobs: fetches the result of a call, and costs nothing (ADR 0311). */
export const JOB_RESULT_TOOL = 'get_result';
/** How often a server is asked whether its list has changed, and at most, if a buyer asks for another tool. */
const LOOK_MS = 60_000;
const RECHECK_MS = 5_000;
/** How long a failure to list the tools of a server without a verified list is remembered. */
const FAILED_MS = 5_000;
const MAX_REMEMBERED = 2_000;

export function createMcpTools(deps: LookDeps) {
  const { notary, nowMs = Date.now } = deps;
  const own = new BoundedMap<string, AgentTools>(MAX_REMEMBERED);
  const served = new WeakMap<PinnedList, AgentTools>();
  const looks = createLooks(deps);
  /** Versions without a verified list, while their servers are asked for the first one, and shortly after a failure. */
  const taking = new BoundedMap<string, { until: number; done: Promise<unknown> }>(MAX_REMEMBERED);

  function ownOf(version: ServingVersion): AgentTools {
    const tools = own.use(version.versionId) ?? ownTools(version);
    own.set(version.versionId, tools);
    return tools;
  }

  /** Only one request per version runs at a time; all waiting callers share its result. */
  async function takeOver(version: ServingVersion, hops: number): Promise<void> {
    const { versionId } = version;
    let turn = taking.get(versionId);
    if (!turn || nowMs() >= turn.until) {
      const done = firstList(deps, version, hops);
      const next = { until: Infinity, done };
      turn = next;
      taking.set(versionId, next);
      done.then(
        () => (taking.delete(versionId), looks.begin(versionId)),
        () => (next.until = nowMs() + FAILED_MS),
      );
    }
    await turn.done;
    notary.forget(versionId);
  }

  async function listOf(version: ServingVersion, hops: number): Promise<AgentTools> {
    if (version.kind !== 'mcp') return ownOf(version);
    let pinned = await notary.pinned(version.versionId);
    if (pinned === 'none') {
      await takeOver(version, hops);
      pinned = await notary.pinned(version.versionId);
    } else looks.look(version, hops, LOOK_MS);
    if (typeof pinned === 'string') throw new MarketError('agent_error', { agentMessage: REFUSED });
    const tools = served.get(pinned) ?? passedOn(pinned);
    served.set(pinned, tools);
    return tools;
  }

  return {
    /**
     * Returns the tools of a version. Throws the failure of the agent's server, such as `agent_unreachable`, if none of
     * its lists was verified.
     */
    of: listOf,

    /** Finds a tool by name. For a tool that the list lacks, the server is soon asked for its list. */
    async find(version: ServingVersion, name: string, hops: number): Promise<AgentTool | undefined> {
      const tool = (await listOf(version, hops)).find(name);
      if (!tool && version.kind === 'mcp') looks.look(version, hops, RECHECK_MS);
      return tool;
    },

    /** True if the tools of a version are known without a request to its server. */
    isKnown: async (version: ServingVersion): Promise<boolean> =>
      version.kind !== 'mcp' ||
      (await notary.pinned(version.versionId)) !== 'none' ||
      nowMs() < (taking.get(version.versionId)?.until ?? 0),
  };
}

export type McpTools = ReturnType<typeof createMcpTools>;

/** What is paid and sent to another service is not undone, so assistants ask their user first (ADR 0333). */
const PAID_CALL = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

function ownTools(version: ServingVersion): AgentTools {
  const input = asSchema(version.inputSchema) ?? {};
  // A call that becomes a job may be answered in words, which no schema of the agent's output allows.
  const output = version.jobs ? undefined : asSchema(version.outputSchema);
  const isObject = output?.type === 'object';
  const shared = {
    name: OWN_TOOL,
    title: version.displayName,
    description: version.description,
    inputSchema: input.type === 'object' ? input : { ...input, type: 'object' },
    annotations: PAID_CALL,
  };
  const others = version.jobs ? [resultTool(version)] : [];
  // Clients of 2025-11-25 may ask for a task.
  const withTasks = version.jobs ? { ...shared, execution: { taskSupport: 'optional' } } : shared;
  const json = {
    legacy: jsonOf([isObject ? { ...withTasks, outputSchema: output } : withTasks, ...others]),
    modern: jsonOf([output ? { ...shared, outputSchema: output } : shared, ...others]),
  };
  const tool: AgentTool = {
    name: OWN_TOOL,
    mirrors: mirrorsOf(shared.inputSchema),
    structured: { legacy: !output ? 'if_object' : isObject ? 'always' : 'never', modern: 'always' },
    declaresOutput: { legacy: isObject, modern: output !== undefined },
  };
  const forResults = { ...tool, name: JOB_RESULT_TOOL, mirrors: [] };
  return {
    json: (era) => json[era],
    names: version.jobs ? [OWN_TOOL, JOB_RESULT_TOOL] : [OWN_TOOL],
    find: (name) => {
      if (name === OWN_TOOL) return tool;
      return version.jobs && name === JOB_RESULT_TOOL ? forResults : undefined;
    },
  };
}

function resultTool({ displayName }: ServingVersion): Record<string, unknown> {
  return {
    name: JOB_RESULT_TOOL,
    title: `Result of ${displayName}`,
    description:
      `Fetches the result of a call of ${OWN_TOOL} that was answered before its end. Waits for a while, and costs nothing. ` +
      'If the call still runs, call this tool again later.',
    inputSchema: {
      type: 'object',
      properties: {
        invocation_id: { type: 'string', description: 'The id that the answer to the call named: inv_…' },
      },
      required: ['invocation_id'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };
}

function passedOn(pinned: PinnedList): AgentTools {
  const { json, gone } = pinned;
  const tools = JSON.parse(json.toString()) as Tool[];
  const mentionsMirrors = json.includes('"x-mcp-header"');
  const byName = new Map<string, AgentTool>();
  for (const { name, inputSchema, outputSchema, _meta } of tools) {
    if (typeof name !== 'string') continue;
    byName.set(name, {
      name,
      mirrors: mentionsMirrors ? mirrorsOf(inputSchema) : [],
      structured: { legacy: 'never', modern: 'never' },
      declaresOutput: { legacy: outputSchema !== undefined, modern: outputSchema !== undefined },
      hasPage: pageOfTool(asRecord(_meta)).uri !== undefined,
      ...(gone.has(name) && { gone: problemOf(pinned, name) }),
    });
  }
  return {
    json: () => json,
    names: [...byName.keys()],
    find: (name) => byName.get(name),
    digest: shownDigest(pinned.digest),
  };
}

function asSchema(json: string | null): Record<string, unknown> | undefined {
  return json === null ? undefined : (JSON.parse(json) as Record<string, unknown>);
}

function jsonOf(tools: unknown): Buffer {
  return Buffer.from(JSON.stringify(tools));
}

/** What is made of several servers' lists does not wait longer for one of them. The list is kept for the next time. */
const PATIENCE_MS = 3_000;

/** The tools of a server; undefined if it does not list them now. */
export function toolsInTime(listing: Promise<AgentTools>): Promise<AgentTools | undefined> {
  const listed = listing.catch((error: unknown) => {
    if (!(error instanceof MarketError)) throw error;
    return undefined;
  });
  return withTimeout(PATIENCE_MS, listed, () => undefined);
}

/**
 * The tools of an agent in its role as an MCP server. Agents with a manifest or a plain endpoint have one tool,
 * `invoke`, with the schemas of the manifest. The tools of an MCP agent are those of its server, passed on unchanged
 * and cached briefly. Their schemas are untrusted and treated as data: they are not compiled, and no reference is
 * followed.
 */
import { pageOfTool } from '../../domain/calls/page-address';
import { MarketError } from '../../domain/errors';
import { asRecord } from '../../domain/json-value';
import { newId, newTraceId } from '../../kit/ids/ids';
import { mirrorsOf, type HeaderMirror } from '../../kit/streams/mcp-mirrors';
import { withTimeout } from '../../kit/with-timeout';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import type { Era } from './protocol';
import { isUnusableSecret } from '../catalogue/upstream-credentials';

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
}

export interface AgentTools {
  /** JSON text of the array of tools. */
  json(era: Era): Buffer;
  names: readonly string[];
  find(name: string): AgentTool | undefined;
}

/** Lists the tools of an agent's own MCP server. */
export interface UpstreamTools {
  listTools(
    question: { invocationId: string; version: ServingVersion; traceId: string; hops: number },
    limits: { signal: AbortSignal; timeoutMs: number },
  ): Promise<readonly Record<string, unknown>[]>;
}

export interface McpToolsDeps {
  agents: UpstreamTools;
  nowMs?: () => number;
}

/** The tool of an agent that is not an MCP server. */
export const OWN_TOOL = 'invoke';
/** The second tool of such an agent that takes jobs: fetches the result of a call, and costs nothing (ADR 0311). */
export const JOB_RESULT_TOOL = 'get_result';
/** Timeout for listing a server's tools. */
const LIST_MS = 10_000;
/** How long a list of tools, or a failure to get it, is cached. */
const FRESH_MS = 60_000;
const FAILED_MS = 5_000;
/** A tool that is missing from a list older than this is looked up again. */
const RECHECK_MS = 5_000;
/** Total size of all cached lists, as JSON. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

interface Entry {
  at: number;
  tools: Promise<AgentTools>;
  bytes: number;
  failed: boolean;
}

export function createMcpTools({ agents, nowMs = Date.now }: McpToolsDeps) {
  const entries = new Map<string, Entry>();

  function listUpstream(version: ServingVersion, hops: number) {
    const question = { invocationId: newId('lst'), version, traceId: newTraceId(), hops };
    const timeoutMs = Math.min(version.timeoutMs, LIST_MS);
    const listing = agents.listTools(question, { signal: new AbortController().signal, timeoutMs });
    return listing.catch((cause: unknown) => {
      throw isUnusableSecret(cause) ? new MarketError('agent_unreachable', { cause }) : cause;
    });
  }

  /** Requests a list. Only one request per version runs at a time; all waiting callers share its result. */
  function ask(version: ServingVersion, hops: number): Promise<AgentTools> {
    const own = version.kind !== 'mcp';
    const tools = own
      ? Promise.resolve().then(() => ownTools(version))
      : listUpstream(version, hops).then(passedOn);
    const entry: Entry = { at: nowMs(), tools, bytes: 0, failed: false };
    entries.delete(version.versionId);
    entries.set(version.versionId, entry);
    tools.then(
      (found) => {
        entry.at = nowMs();
        entry.bytes = found.json('modern').length + found.json('legacy').length;
        forgetOldest(entries);
      },
      () => {
        entry.at = nowMs();
        entry.failed = true;
      },
    );
    return tools;
  }

  function current(version: ServingVersion): Entry | undefined {
    const entry = entries.get(version.versionId);
    if (!entry || (version.kind !== 'mcp' && !entry.failed)) return entry;
    return nowMs() - entry.at < (entry.failed ? FAILED_MS : FRESH_MS) ? entry : undefined;
  }

  return {
    /** Returns the tools of a version. Throws the failure of the agent's server, such as `agent_unreachable`. */
    async of(version: ServingVersion, hops: number): Promise<AgentTools> {
      return current(version)?.tools ?? ask(version, hops);
    },

    /** Finds a tool by name. Lists the tools again if the cached list lacks it and is not recent. */
    async find(version: ServingVersion, name: string, hops: number): Promise<AgentTool | undefined> {
      const entry = current(version);
      const tool = (await (entry?.tools ?? ask(version, hops))).find(name);
      const isSettled = version.kind !== 'mcp' || !entry || nowMs() - entry.at < RECHECK_MS;
      return tool ?? (isSettled ? undefined : (await ask(version, hops)).find(name));
    },

    /** True if the list of a version, or the failure to get it, is cached. */
    isKnown: (version: ServingVersion): boolean => current(version) !== undefined,
  };
}

export type McpTools = ReturnType<typeof createMcpTools>;

function forgetOldest(entries: Map<string, Entry>): void {
  let kept = [...entries.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  for (const [versionId, { bytes }] of entries) {
    if (kept <= MAX_KEPT_BYTES) return;
    entries.delete(versionId);
    kept -= bytes;
  }
}

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

/** How its server makes tasks is not for buyers, whose calls this service makes (ADR 0314). */
function withoutExecution({ execution: _, ...tool }: Record<string, unknown>): Record<string, unknown> {
  return tool;
}

function passedOn(listed: readonly Record<string, unknown>[]): AgentTools {
  const tools = listed.map((tool) => ('execution' in tool ? withoutExecution(tool) : tool));
  const json = jsonOf(tools);
  const mentionsMirrors = json.includes('"x-mcp-header"');
  const byName = new Map<string, AgentTool>();
  for (const { name, inputSchema, outputSchema, _meta } of tools) {
    if (typeof name !== 'string' || byName.has(name)) continue;
    const mirrors = mentionsMirrors ? mirrorsOf(inputSchema) : [];
    byName.set(name, {
      name,
      mirrors,
      structured: { legacy: 'never', modern: 'never' },
      declaresOutput: { legacy: outputSchema !== undefined, modern: outputSchema !== undefined },
      hasPage: pageOfTool(asRecord(_meta)).uri !== undefined,
    });
  }
  return { json: () => json, names: [...byName.keys()], find: (name) => byName.get(name) };
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

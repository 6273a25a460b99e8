/**
 * The tools of an agent as an MCP server shows them. Manifest and plain agents have one tool, `invoke`, whose schemas
 * are the manifest's; an MCP agent's tools are its server's own, passed on as they are, asked for again after a short
 * while. Schemas of strangers are data here: nothing is compiled, no reference is followed.
 */
import { MarketError } from '../../domain/errors';
import { SealedValueError } from '../../kit/crypto/cipher';
import { newId, newTraceId } from '../../kit/ids/ids';
import { mirrorsOf, type HeaderMirror } from '../../kit/streams/mcp-mirrors';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import type { AgentCaller } from '../calls/agent/agent-caller';
import type { Era } from './protocol';

export interface AgentTool {
  name: string;
  /** Arguments that a modern client repeats in headers. */
  mirrors: readonly HeaderMirror[];
  /**
   * Whether the results of our own tool carry `structuredContent`, by the era of the client: `if_object` depends on the
   * output. Legacy clients take objects only.
   */
  structured: Record<Era, 'always' | 'if_object' | 'never'>;
}

export interface AgentTools {
  /** The JSON text of the array of tools. */
  json(era: Era): Buffer;
  find(name: string): AgentTool | undefined;
}

export interface McpToolsDeps {
  agents: Pick<AgentCaller, 'listTools'>;
  nowMs?: () => number;
}

/** The one tool of an agent that is no MCP server. */
export const OWN_TOOL = 'invoke';
/** A server has so long to tell its tools. */
const LIST_MS = 10_000;
/** How long the tools of a server, or its failure to tell them, are believed. */
const FRESH_MS = 60_000;
const FAILED_MS = 5_000;
/** A tool that is not in a list so old is looked for once more. */
const RECHECK_MS = 5_000;
/** Of all lists together, as JSON. */
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
      throw cause instanceof SealedValueError ? new MarketError('agent_unreachable', { cause }) : cause;
    });
  }

  /** One question at a time for each version; its answer is shared by everybody who waits. */
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
    /** Throws what the agent's server did wrong: `agent_unreachable`, `agent_error`, `agent_timeout`, … */
    async of(version: ServingVersion, hops: number): Promise<AgentTools> {
      return current(version)?.tools ?? ask(version, hops);
    },

    /** The tool of that name; asks the server again when its list is not quite new. Undefined: there is none. */
    async find(version: ServingVersion, name: string, hops: number): Promise<AgentTool | undefined> {
      const entry = current(version);
      const tool = (await (entry?.tools ?? ask(version, hops))).find(name);
      const isSettled = version.kind !== 'mcp' || !entry || nowMs() - entry.at < RECHECK_MS;
      return tool ?? (isSettled ? undefined : (await ask(version, hops)).find(name));
    },
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

function ownTools(version: ServingVersion): AgentTools {
  const input = asSchema(version.inputSchema) ?? {};
  const output = asSchema(version.outputSchema);
  const isObject = output?.type === 'object';
  const shared = {
    name: OWN_TOOL,
    title: version.displayName,
    description: version.description,
    inputSchema: input.type === 'object' ? input : { ...input, type: 'object' },
  };
  const json = {
    legacy: jsonOf([isObject ? { ...shared, outputSchema: output } : shared]),
    modern: jsonOf([output ? { ...shared, outputSchema: output } : shared]),
  };
  const tool: AgentTool = {
    name: OWN_TOOL,
    mirrors: mirrorsOf(shared.inputSchema),
    structured: { legacy: !output ? 'if_object' : isObject ? 'always' : 'never', modern: 'always' },
  };
  return { json: (era) => json[era], find: (name) => (name === OWN_TOOL ? tool : undefined) };
}

function passedOn(tools: readonly Record<string, unknown>[]): AgentTools {
  const json = jsonOf(tools);
  const mentionsMirrors = json.includes('"x-mcp-header"');
  const byName = new Map<string, AgentTool>();
  for (const { name, inputSchema } of tools) {
    if (typeof name !== 'string' || byName.has(name)) continue;
    const mirrors = mentionsMirrors ? mirrorsOf(inputSchema) : [];
    byName.set(name, { name, mirrors, structured: { legacy: 'never', modern: 'never' } });
  }
  return { json: () => json, find: (name) => byName.get(name) };
}

function asSchema(json: string | null): Record<string, unknown> | undefined {
  return json === null ? undefined : (JSON.parse(json) as Record<string, unknown>);
}

function jsonOf(tools: unknown): Buffer {
  return Buffer.from(JSON.stringify(tools));
}

/**
 * What MCP servers offer beside tools: resources, prompts and completions (ADR 0328). Requests about them pass to the
 * server of the agent, and cost nothing. Their number at a time is limited for each account and for the process.
 */
import { MarketError } from '../../domain/errors';
import { isRecord } from '../../domain/json-value';
import { BoundedMap } from '../../kit/bounded-map';
import { newId, newTraceId } from '../../kit/ids/ids';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import { isUnusableSecret } from '../catalogue/upstream-credentials';
import type { ToolCaller } from './caller';
import type { McpQuestion } from './client';
import type { JsonObject, RpcReply } from './protocol';

interface OfVersion {
  invocationId: string;
  version: ServingVersion;
  traceId: string;
  hops: number;
}

interface Limits {
  signal: AbortSignal;
  timeoutMs: number;
}

/** Asks an agent's own MCP server. */
export interface UpstreamFeatures {
  capabilities(question: OfVersion, limits: Limits): Promise<JsonObject>;
  request(
    question: OfVersion,
    passed: McpQuestion & { caller: ToolCaller | undefined },
    limits: Limits,
  ): Promise<RpcReply>;
}

/** Who asks. */
interface Asker {
  userId: string;
  traceId: string;
  hops: number;
  gone: AbortSignal;
  caller: ToolCaller | undefined;
}

/** Timeout of a request, and of the question what a server offers. */
const READ_MS = 30_000;
const DESCRIBE_MS = 3_000;
/** Requests of one account, to the agents of one developer, and of all, at a time. */
const MOST_OF_ACCOUNT = 4;
const MOST_OF_DEVELOPER = 16;
const MOST = 64;
const MAX_REMEMBERED = 1_000;
/** How long a description is believed, and how long the failure to get one. */
const FRESH_MS = 60_000;
const FAILED_MS = 5_000;
/** The capabilities that pass. Changes and subscriptions do not: they need a session with the server. */
const PASSED = ['resources', 'prompts', 'completions', 'logging'] as const;

type Features = Partial<Record<(typeof PASSED)[number], true>>;

export function createMcpFeatures({ agents }: { agents: UpstreamFeatures }) {
  const known = new BoundedMap<string, { until: number; features: Promise<Features> }>(MAX_REMEMBERED);
  const enter = createPlaces();

  function ask(version: ServingVersion, hops: number): Promise<Features> {
    const question = { invocationId: newId('lst'), version, traceId: newTraceId(), hops };
    const limits = {
      signal: new AbortController().signal,
      timeoutMs: Math.min(version.timeoutMs, DESCRIBE_MS),
    };
    const entry = { until: Date.now() + FRESH_MS, features: Promise.resolve<Features>({}) };
    entry.features = agents.capabilities(question, limits).then(
      (capabilities) =>
        Object.fromEntries(PASSED.filter((name) => isRecord(capabilities[name])).map((name) => [name, true])),
      () => {
        entry.until = Date.now() + FAILED_MS;
        return {};
      },
    );
    known.set(version.versionId, entry);
    return entry.features;
  }

  return {
    /** What the server of a version offers beside tools. A server that fails offers nothing for now. */
    async of(version: ServingVersion, hops: number): Promise<Features> {
      if (version.kind !== 'mcp') return {};
      const entry = known.get(version.versionId);
      return entry && entry.until > Date.now() ? entry.features : ask(version, hops);
    },

    /**
     * Passes a request on. Throws `concurrency_limited`, and the failure of the agent's server, such as
     * `agent_unreachable`.
     */
    async request(version: ServingVersion, passed: McpQuestion, asker: Asker): Promise<RpcReply> {
      const { userId, traceId, hops, gone, caller } = asker;
      const leave = enter([
        [`account ${userId}`, MOST_OF_ACCOUNT],
        [`developer ${version.developerUserId}`, MOST_OF_DEVELOPER],
        ['all', MOST],
      ]);
      try {
        const question = { invocationId: newId('lst'), version, traceId, hops };
        const limits = { signal: gone, timeoutMs: Math.min(version.timeoutMs, READ_MS) };
        return await agents.request(question, { ...passed, caller }, limits);
      } catch (cause) {
        throw isUnusableSecret(cause) ? new MarketError('agent_unreachable', { cause }) : cause;
      } finally {
        leave();
      }
    },
  };
}

/** Counts what runs at a time. */
function createPlaces() {
  const running = new Map<string, number>();
  const change = (name: string, by: number) => {
    const count = (running.get(name) ?? 0) + by;
    if (count > 0) running.set(name, count);
    else running.delete(name);
  };
  return function enter(places: readonly (readonly [name: string, most: number])[]): () => void {
    if (places.some(([name, most]) => (running.get(name) ?? 0) >= most)) {
      const message = `An account may have ${MOST_OF_ACCOUNT} requests to MCP servers beside its calls at a time, and a developer ${MOST_OF_DEVELOPER}. Retry.`;
      throw new MarketError('concurrency_limited', { message, retryAfterSeconds: 1 });
    }
    for (const [name] of places) change(name, 1);
    return () => {
      for (const [name] of places) change(name, -1);
    };
  };
}

export type McpFeatures = ReturnType<typeof createMcpFeatures>;

/**
 * Resources, prompts and completions of an MCP server (ADR 0328). Requests pass to it, free and without a call, and
 * their results pass back; only what is about the server itself, or what a client must not rely on, is changed.
 */
import { isRetryable, MarketError } from '../../domain/errors';
import { asRecord, isRecord } from '../../domain/json-value';
import { requestProblem } from '../../domain/jobs/passed-form';
import type { McpFeatures } from '../../services/mcp/mcp-features';
import type { JsonObject, RpcReply } from '../../services/mcp/protocol';
import { HIDDEN_META } from '../../services/mcp/protocol';
import { MARKET_PREFIX } from '../../domain/calls/mcp-meta';
import { type NoticeDeps, toldCaller } from './notices';
import { readRound, type RoundDeps, sealState } from './rounds';
import type { McpRequest } from './wire/mcp-request';
import { McpFault, RPC } from './wire/protocol';
import { narrowedContents } from './wire/resource-csp';
import { metaOf } from './wire/results';

export interface FeatureDeps extends RoundDeps, NoticeDeps {
  mcpFeatures: McpFeatures;
  config: { PUBLIC_ORIGIN: string };
}

type Take = (value: unknown) => boolean;

const isText =
  (most: number): Take =>
  (value) =>
    typeof value === 'string' && value.length > 0 && value.length <= most;
const optional =
  (take: Take): Take =>
  (value) =>
    value === undefined || take(value);

const PAGE = { cursor: optional(isText(4_096)) };

/** The parameters of each method that pass, and what they must be. */
const PARAMS: Readonly<Record<string, Readonly<Record<string, Take>>>> = {
  'resources/list': PAGE,
  'resources/templates/list': PAGE,
  'resources/read': { uri: isText(8_192) },
  'prompts/list': PAGE,
  'prompts/get': { name: isText(256), arguments: optional(isRecord) },
  'completion/complete': { ref: isRecord, argument: isRecord, context: optional(isRecord) },
};
/** Methods whose result may need input. */
const ASKING: ReadonlySet<string> = new Set(['resources/read', 'prompts/get']);
/** Methods whose result says how long it may be kept. */
const KEPT: ReadonlySet<string> = new Set([
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
]);
const LONGEST_TTL_MS = 3_600_000;

export const FEATURE_METHODS: readonly string[] = Object.keys(PARAMS);

/**
 * Passes a request on. Throws `McpFault` for malformed parameters, and for a refusal of the server. `rename` makes the
 * addresses of the contents those that the client knows.
 */
export async function passOn(
  deps: FeatureDeps,
  request: McpRequest,
  rename = (uri: string): string => uri,
): Promise<void> {
  const { id, era, message, version, server, principal, traceId, hops, reply } = request;
  const { method } = message;
  if (version.kind !== 'mcp') throw notFound(request);
  const params = paramsOf(request);
  const round = ASKING.has(method) ? await readRound(deps, request) : null;
  const asker = {
    userId: principal.userId,
    traceId,
    hops,
    gone: reply.gone,
    caller: ASKING.has(method) ? toldCaller(deps, request, round) : undefined,
  };
  const answer = await deps.mcpFeatures.request(version, { method, params }, asker).catch(asFault);
  if (answer.kind === 'refused') throw refusal(request, answer);
  const { resultType = 'complete', _meta, ttlMs, cacheScope: _, ...fields } = answer.result;
  if (resultType !== 'complete' && resultType !== 'input_required')
    throw new McpFault(RPC.internalError, 'The MCP server returned an unknown kind of result.');
  if (resultType === 'input_required') requireForms(request, fields);
  const own = ownOrigin(deps);
  const whole = {
    ...(era === 'modern' && { resultType }),
    ...(resultType === 'input_required'
      ? await sealState(deps, request, fields)
      : narrowedContents(renamed(fields, rename), own)),
    ...(era === 'modern' &&
      KEPT.has(method) &&
      resultType === 'complete' && { ttlMs: lifeOf(ttlMs), cacheScope: 'private' }),
    _meta: { ...passedMeta(_meta), ...metaOf(era, server.identity) },
  };
  const { _meta: meta, ...rest } = whole;
  reply.result(id, [JSON.stringify(Object.keys(meta).length > 0 ? whole : rest)]);
}

function renamed(result: JsonObject, rename: (uri: string) => string): JsonObject {
  const { contents } = result;
  if (!Array.isArray(contents)) return result;
  const named = (one: unknown) =>
    isRecord(one) && typeof one['uri'] === 'string' ? { ...one, uri: rename(one['uri']) } : one;
  return { ...result, contents: contents.map(named) };
}

const ownOrigin = ({ config }: FeatureDeps): string => new URL(config.PUBLIC_ORIGIN).origin;

const lifeOf = (ttlMs: unknown): number =>
  typeof ttlMs === 'number' && ttlMs >= 0 ? Math.min(Math.floor(ttlMs), LONGEST_TTL_MS) : 0;

/** Metadata of the server without its own name, and without keys of the marketplace. */
function passedMeta(meta: unknown): JsonObject {
  const isPassed = ([key]: [string, unknown]) => !key.startsWith(MARKET_PREFIX) && !HIDDEN_META.includes(key);
  return Object.fromEntries(Object.entries(asRecord(meta)).filter(isPassed));
}

function paramsOf({ message }: McpRequest): JsonObject {
  const { method, params } = message;
  const passed = Object.entries(PARAMS[method] ?? {});
  for (const [name, take] of passed)
    if (!take(params[name]))
      throw new McpFault(RPC.invalidParams, `params.${name} of ${method} is missing or malformed.`);
  return Object.fromEntries(passed.flatMap(([name]) => (name in params ? [[name, params[name]]] : [])));
}

function notFound({ era }: McpRequest): McpFault {
  return new McpFault(RPC.methodNotFound, 'Method not found', { status: era === 'modern' ? 404 : 200 });
}

/** Throws the failure of a server as an error of the protocol. */
function asFault(error: unknown): never {
  if (!(error instanceof MarketError) || error.code === 'concurrency_limited') throw error;
  const { code, message } = error;
  throw new McpFault(RPC.internalError, message, { data: { code, message, retryable: isRetryable(code) } });
}

const LONGEST_WORDS = 500;
const LONGEST_DATA = 4_096;
const RESOURCE_NOT_FOUND = -32002;

/** The refusal of a server in its own words. Codes of the service are not the server's to use. */
function refusal(
  request: McpRequest,
  { code, message = 'Refused by the MCP server', data }: Extract<RpcReply, { kind: 'refused' }>,
): McpFault {
  if (code === RPC.methodNotFound) return notFound(request);
  const isUnknown = code === RESOURCE_NOT_FOUND || code === RPC.invalidParams;
  const inModern = isUnknown ? RPC.invalidParams : RPC.internalError;
  const kept = request.era === 'legacy' && code === RESOURCE_NOT_FOUND ? RESOURCE_NOT_FOUND : inModern;
  const isSmall = data !== undefined && JSON.stringify(data).length <= LONGEST_DATA;
  return new McpFault(kept, message.slice(0, LONGEST_WORDS), isSmall ? { data } : {});
}

function requireForms({ client, era }: McpRequest, { inputRequests }: JsonObject): void {
  const [problem] = Object.values(asRecord(inputRequests)).flatMap((one) => requestProblem(one) ?? []);
  if (era === 'modern' && client.elicits && problem === undefined) return;
  throw new McpFault(
    RPC.internalError,
    problem?.words ?? 'The MCP server asks its user, and the client shows no forms.',
  );
}

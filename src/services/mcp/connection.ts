/**
 * A connection to an MCP server for one operation: the server's era, its handshake if it has one, and its session.
 * Sessions are never shared, because their state belongs to one caller. The session of a task is kept as long as the
 * task, which may belong to it.
 */
import { MarketError } from '../../domain/errors';
import type { Egress } from '../../egress/agent-call';
import { EgressError } from '../../egress/egress-error';
import { ask, tell } from './exchange';
import type { McpLimits, McpTarget } from './target';
import {
  agentFailure,
  handshake,
  isForeignRefusal,
  LATEST_LEGACY_VERSION,
  LEGACY_VERSIONS,
  MISSING_CAPABILITY,
  HEADER_MISMATCH,
  MODERN_VERSION,
  modernHeaders,
  modernMeta,
  UNSUPPORTED_VERSION,
  type Era,
  type JsonObject,
  type RpcReply,
  type RpcRequest,
} from './protocol';
import { isRecord } from '../../domain/json-value';

/** A session of the legacy era, as requests name it. */
export interface McpSession {
  id: string;
  version: string;
}

export interface McpConnection {
  era: Era;
  session: McpSession | null;
  /** What the server says that it offers. */
  capabilities(): Promise<unknown>;
  /** True if a tool call may ask for a task by its parameters, as in revision 2025-11-25. */
  asksForTasks: boolean;
  /** Throws `Stale` if the server no longer accepts the era or the session. The request then had no effect. */
  request(method: string, params: JsonObject, headers?: Record<string, string>): Promise<RpcReply>;
  /** Lets the session go on behind this connection. */
  keep(): void;
  /** Ends the session at the server, unless it is kept. Does not wait for the response. */
  end(): void;
}

/** The server no longer accepts the negotiated era or session. */
export class Stale extends Error {
  override readonly name = 'Stale';

  /** `era`: the era that the server refuses; null if it has only lost the session. */
  constructor(readonly era: Era | null) {
    super(`the server no longer accepts our ${era ? `era (${era})` : 'session'}`);
  }
}

/** Statuses that say nothing about the era. */
const SAYS_NOTHING = [401, 403, 429];
const PROBE_MS = 5_000;
const END_MS = 2_000;

/**
 * Detects the era of a server by a `server/discover` request, which legacy servers refuse. Returns undefined if the
 * server does not answer in time, as legacy servers may. Throws errors that are unrelated to the era, such as
 * connection or permission errors.
 */
export async function detectEra(
  egress: Egress,
  target: McpTarget,
  limits: McpLimits,
): Promise<Era | undefined> {
  const now = Date.now();
  const patienceMs = Math.min(PROBE_MS, (limits.deadlineMs - now) / 2);
  const probe = { ...limits, deadlineMs: Math.floor(now + patienceMs) };
  let reply: RpcReply;
  try {
    const request = modernRequest(1, 'server/discover', {}, target);
    reply = await ask(egress, target, probe, request, modernHeaders(request));
  } catch (error) {
    const isSilence =
      error instanceof EgressError && error.kind === 'timeout' && Date.now() < limits.deadlineMs;
    if (isSilence) return undefined;
    if (error instanceof MarketError) return 'legacy';
    throw error;
  }
  if (reply.kind === 'result') return namesModern(reply.result['supportedVersions']) ? 'modern' : 'legacy';
  if (SAYS_NOTHING.includes(reply.status)) throw agentFailure(`refused with ${reply.status}`);
  if (reply.code === UNSUPPORTED_VERSION && isRecord(reply.data)) {
    return namesModern(reply.data['supported']) ? 'modern' : 'legacy';
  }
  return reply.code === HEADER_MISMATCH || reply.code === MISSING_CAPABILITY ? 'modern' : 'legacy';
}

function namesModern(versions: unknown): boolean {
  return !Array.isArray(versions) || versions.includes(MODERN_VERSION);
}

/** Opens a connection of the modern era, in which every request is self-contained. */
export function connectModern(egress: Egress, target: McpTarget, limits: McpLimits): McpConnection {
  let lastId = 1;
  const send: McpConnection['request'] = async (method, params, headers = {}) => {
    lastId += 1;
    const request = modernRequest(lastId, method, params, target);
    const reply = await ask(egress, target, limits, request, { ...headers, ...modernHeaders(request) });
    if (reply.kind === 'refused' && isForeignRefusal(reply)) throw new Stale('modern');
    return reply;
  };
  return {
    era: 'modern',
    session: null,
    asksForTasks: false,
    request: send,
    async capabilities() {
      const reply = await send('server/discover', {});
      return reply.kind === 'result' ? reply.result['capabilities'] : undefined;
    },
    keep: () => undefined,
    end: () => undefined,
  };
}

/** Performs the handshake of the legacy era. Throws `Stale` if the server refuses it. */
export async function connectLegacy(
  egress: Egress,
  target: McpTarget,
  limits: McpLimits,
): Promise<McpConnection> {
  const hello = await ask(
    egress,
    target,
    limits,
    request(1, 'initialize', handshake((target.caller?.ask ?? target.caller?.askLater) !== undefined)),
    {},
  );
  if (hello.kind === 'refused') throw new Stale('legacy');
  const version = hello.result['protocolVersion'];
  if (typeof version !== 'string' || !LEGACY_VERSIONS.includes(version)) {
    throw agentFailure('unknown protocol version');
  }
  const session = hello.sessionId === null ? null : { id: hello.sessionId, version };
  const headers = headersOf(version, session);
  await tell(egress, target, limits, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
  const { capabilities } = hello.result;
  await setLogLevel(egress, target, limits, { headers, capabilities });
  const asksForTasks = version === LATEST_LEGACY_VERSION && offersTasks(capabilities);
  const isLost = ({ status }: Refusal) => status === 404 && session !== null;
  return legacyConnection(egress, target, limits, { version, session, capabilities, asksForTasks, isLost });
}

/** Asks a server that logs for the level that the client wants. A server that refuses logs as it likes. */
async function setLogLevel(
  egress: Egress,
  target: McpTarget,
  limits: McpLimits,
  { headers, capabilities }: { headers: Record<string, string>; capabilities: unknown },
): Promise<void> {
  const { logLevel } = target.caller ?? {};
  if (!logLevel || !isRecord(capabilities) || !isRecord(capabilities['logging'])) return;
  await ask(egress, target, limits, request(0, 'logging/setLevel', { level: logLevel }), headers);
}

/** Goes on in a session that an earlier connection kept. A server that has lost it may say so in its own manner. */
export function resumeLegacy(
  egress: Egress,
  target: McpTarget,
  limits: McpLimits,
  session: McpSession,
): McpConnection {
  const { version } = session;
  const isLost = ({ status }: Refusal) => status === 404 || status === 400;
  return legacyConnection(egress, target, limits, { version, session, asksForTasks: false, isLost });
}

type Refusal = Extract<RpcReply, { kind: 'refused' }>;

interface LegacyOptions {
  version: string;
  session: McpSession | null;
  capabilities?: unknown;
  asksForTasks: boolean;
  isLost: (refusal: Refusal) => boolean;
}

function legacyConnection(
  egress: Egress,
  target: McpTarget,
  limits: McpLimits,
  { version, session, capabilities, asksForTasks, isLost }: LegacyOptions,
): McpConnection {
  const headers = headersOf(version, session);
  let lastId = 1;
  let isKept = false;
  return {
    era: 'legacy',
    session,
    asksForTasks,
    capabilities: async () => capabilities,
    async request(method, params) {
      lastId += 1;
      const message = request(lastId, method, { ...params, ...legacyMeta(lastId, method, target) });
      const reply = await ask(egress, target, limits, message, headers);
      if (reply.kind === 'refused' && isLost(reply)) throw new Stale(null);
      return reply;
    },
    keep() {
      isKept = true;
    },
    end() {
      if (session !== null && !isKept) endSession(egress, target, headers);
    },
  };
}

function headersOf(version: string, session: McpSession | null): Record<string, string> {
  return { 'mcp-protocol-version': version, ...(session && { 'mcp-session-id': session.id }) };
}

/** Whether a server of revision 2025-11-25 makes tasks of tool calls. */
function offersTasks(capabilities: unknown): boolean {
  const at = ['tasks', 'requests', 'tools', 'call'];
  return isRecord(at.reduce((value, name) => (isRecord(value) ? value[name] : undefined), capabilities));
}

/** Fire and forget: errors are ignored because the connection is closing anyway. */
function endSession(egress: Egress, target: McpTarget, headers: Record<string, string>): void {
  const request = {
    url: target.url,
    method: 'DELETE',
    headers: { ...target.headers, ...headers },
    deadlineMs: Date.now() + END_MS,
    maxResponseBytes: 64 * 1024,
  } as const;
  egress.open(request).then(
    (stream) => stream.close(),
    () => undefined,
  );
}

function request(id: number, method: string, params: JsonObject): RpcRequest {
  return { jsonrpc: '2.0', id, method, params };
}

function modernRequest(id: number, method: string, params: JsonObject, target: McpTarget): RpcRequest {
  const { tasks, caller } = target;
  const meta = modernMeta({
    tasks: tasks !== undefined,
    ...((caller?.elicits || caller?.ask) && { asks: true }),
  });
  return request(id, method, { ...params, _meta: { ...meta, ...callMeta(id, method, target) } });
}

function legacyMeta(id: number, method: string, target: McpTarget): { _meta?: JsonObject } {
  const _meta = callMeta(id, method, target);
  return Object.keys(_meta).length > 0 ? { _meta } : {};
}

/** The metadata of a call: the trace that it belongs to, and what its client wants to hear. */
function callMeta(id: number, method: string, { caller, headers: { traceparent } }: McpTarget): JsonObject {
  if (!CALLS.has(method)) return {};
  return {
    ...(traceparent !== undefined && { traceparent }),
    ...(caller?.wantsProgress && { progressToken: id }),
    ...(caller?.logLevel && { 'io.modelcontextprotocol/logLevel': caller.logLevel }),
  };
}

const CALLS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

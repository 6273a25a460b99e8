/** The methods of an agent's endpoint other than `tools/call`: server information and the list of tools. */
import { isRetryable, MarketError } from '../../domain/errors';
import { MARKET_META } from '../../domain/calls/mcp-meta';
import type { AgentTools, McpTools } from '../../services/mcp/mcp-tools';
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS, type Era } from '../../services/mcp/protocol';
import type { ServingVersion } from '../../services/catalogue/serving-version-cache';
import { McpFault, RPC, SUPPORTED_VERSIONS, TASKS_EXTENSION } from './wire/protocol';
import type { McpRequest } from './wire/mcp-request';
import { hasForms } from './wire/client-offer';
import { plainResult, serverInfo } from './wire/results';
import { newSessionId } from './wire/session';
import { setLogLevel } from './log-level';
import { asRecord } from '../../domain/json-value';
import { listen } from './tasks/subscriptions';
import { cancelTask, getTask, listTasks, taskResult, type TaskMethodDeps, updateTask } from './tasks/methods';
import { callTool, type ToolCallDeps } from './tool-call';
import { describeMcp } from './span-attributes';
import { FEATURE_METHODS, type FeatureDeps, passOn } from './features';
import { costText } from './cost-text';

export type MethodDeps = ToolCallDeps & TaskMethodDeps & FeatureDeps;

type Method = (deps: MethodDeps, request: McpRequest) => void | Promise<void>;

const MODERN_CAPABILITIES = { tools: {}, extensions: { [TASKS_EXTENSION]: {} } };
/** The revisions before 2025-11-25 know no tasks. There, a client asks for one, so agents without jobs have none. */
const LEGACY_CAPABILITIES = { tools: {} };
const CAPABILITIES_WITH_TASKS = {
  ...LEGACY_CAPABILITIES,
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
};

const PASSED = Object.fromEntries(FEATURE_METHODS.map((method) => [method, passOn]));

const METHODS: Record<Era, Readonly<Record<string, Method | undefined>>> = {
  legacy: {
    initialize,
    ping,
    'tools/list': listTools,
    'tools/call': callTool,
    ...PASSED,
    'logging/setLevel': setAgentLevel,
    'tasks/get': getTask,
    'tasks/result': taskResult,
    'tasks/list': listTasks,
    'tasks/cancel': cancelTask,
  },
  modern: {
    'server/discover': discover,
    'tools/list': listTools,
    'tools/call': callTool,
    ...PASSED,
    'tasks/get': getTask,
    'tasks/update': updateTask,
    'tasks/cancel': cancelTask,
    'subscriptions/listen': listen,
  },
};

/** Answers a request. Throws `McpFault` for errors of the protocol, `MarketError` for other errors. */
export async function answerRequest(deps: MethodDeps, request: McpRequest): Promise<void> {
  const { era, message } = request;
  const method = Object.hasOwn(METHODS[era], message.method) ? METHODS[era][message.method] : undefined;
  if (!method) {
    const status = era === 'modern' ? 404 : 200;
    throw new McpFault(RPC.methodNotFound, 'Method not found', { status });
  }
  describeMcp(message);
  await method(deps, request);
}

/** An unknown version is answered with the newest legacy version; the client then decides whether to continue. */
async function initialize(
  deps: MethodDeps,
  { id, message, version, hops, reply }: McpRequest,
): Promise<void> {
  const { protocolVersion } = message.params;
  if (typeof protocolVersion !== 'string') {
    throw new McpFault(RPC.invalidParams, 'params.protocolVersion must be text.');
  }
  const isKnown = LEGACY_VERSIONS.includes(protocolVersion);
  const agreed = isKnown ? protocolVersion : LATEST_LEGACY_VERSION;
  const features = await featuresOf(deps, version, hops);
  const result = {
    protocolVersion: agreed,
    capabilities: {
      ...(version.jobs && agreed === LATEST_LEGACY_VERSION ? CAPABILITIES_WITH_TASKS : LEGACY_CAPABILITIES),
      ...features,
    },
    serverInfo: serverInfo(version),
    instructions: instructions(version),
  };
  const mayAsk = version.jobs !== null || version.kind === 'mcp';
  const forms = mayAsk && hasForms(asRecord(message.params['capabilities'])['elicitation']);
  if (forms || 'logging' in features) reply.header('Mcp-Session-Id', newSessionId({ forms }));
  reply.result(id, [JSON.stringify(result)]);
}

function ping(_deps: MethodDeps, { id, reply }: McpRequest): void {
  reply.result(id, ['{}']);
}

/** What the server of an MCP agent offers beside tools, as capabilities of the endpoint. */
async function featuresOf(
  { mcpFeatures }: MethodDeps,
  version: ServingVersion,
  hops: number,
): Promise<Record<string, object>> {
  const features = await mcpFeatures.of(version, hops);
  return Object.fromEntries(Object.keys(features).map((name) => [name, {}]));
}

/** The server of an agent that is none of MCP logs nothing. */
function setAgentLevel(deps: MethodDeps, request: McpRequest): void {
  if (request.version.kind !== 'mcp') throw new McpFault(RPC.methodNotFound, 'Method not found');
  setLogLevel(deps, request);
}

async function discover(deps: MethodDeps, { id, era, version, hops, reply }: McpRequest): Promise<void> {
  const fields = JSON.stringify({
    supportedVersions: SUPPORTED_VERSIONS,
    capabilities: { ...MODERN_CAPABILITIES, ...(await featuresOf(deps, version, hops)) },
    instructions: instructions(version),
  });
  reply.result(id, plainResult(era, version, [fields.slice(1, -1)], true));
}

/** Lists all verified tools in the order of their server, with their digest. Listing is free and makes no call. */
async function listTools({ mcpTools }: MethodDeps, request: McpRequest): Promise<void> {
  const { id, era, message, version, reply } = request;
  if (message.params.cursor !== undefined) {
    throw new McpFault(RPC.invalidParams, 'This list has one page: there is no such cursor.');
  }
  const { digest, json } = await toolsOf(mcpTools, request);
  const meta = digest === undefined ? {} : { [MARKET_META.toolsDigest]: digest };
  reply.result(id, plainResult(era, version, ['"tools":', json(era)], true, meta));
}

async function toolsOf(mcpTools: McpTools, { version, hops }: McpRequest): Promise<AgentTools> {
  try {
    return await mcpTools.of(version, hops);
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    const { code, agentMessage } = error;
    const message = agentMessage ?? error.message;
    throw new McpFault(RPC.internalError, message, { data: { code, message, retryable: isRetryable(code) } });
  }
}

/** Instructions for the model: the agent's description, and the price of a call. */
function instructions(version: ServingVersion): string {
  return `${version.description}\n\nA call of a tool costs ${costText(version)} (1 credit = 1 US cent); a call that fails is free.`;
}

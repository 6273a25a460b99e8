/** The methods of an agent's endpoint other than `tools/call`: server information and the list of tools. */
import { isRetryable, MarketError } from '../../domain/errors';
import type { McpTools } from '../../services/mcp/mcp-tools';
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS, type Era } from '../../services/mcp/protocol';
import type { ServingVersion } from '../../services/catalogue/serving-version-cache';
import { McpFault, RPC, SUPPORTED_VERSIONS } from './protocol';
import { plainResult, sendResult, serverInfo } from './results';
import { callTool, type McpRequest, type ToolCallDeps } from './tool-call';
import { creditsText } from '../../domain/ledger/money';

type Method = (deps: ToolCallDeps, request: McpRequest) => void | Promise<void>;

const CAPABILITIES = { tools: {} };

const METHODS: Record<Era, Readonly<Record<string, Method | undefined>>> = {
  legacy: { initialize, ping, 'tools/list': listTools, 'tools/call': callTool },
  modern: { 'server/discover': discover, 'tools/list': listTools, 'tools/call': callTool },
};

/** Answers a request. Throws `McpFault` for errors of the protocol, `MarketError` for other errors. */
export async function answerRequest(deps: ToolCallDeps, request: McpRequest): Promise<void> {
  const { era, message } = request;
  const method = Object.hasOwn(METHODS[era], message.method) ? METHODS[era][message.method] : undefined;
  if (!method) {
    const status = era === 'modern' ? 404 : 200;
    throw new McpFault(RPC.methodNotFound, 'Method not found', { status });
  }
  await method(deps, request);
}

/** An unknown version is answered with the newest legacy version; the client then decides whether to continue. */
function initialize(_deps: ToolCallDeps, { id, message, version, res }: McpRequest): void {
  const { protocolVersion } = message.params;
  if (typeof protocolVersion !== 'string') {
    throw new McpFault(RPC.invalidParams, 'params.protocolVersion must be text.');
  }
  const isKnown = LEGACY_VERSIONS.includes(protocolVersion);
  const result = {
    protocolVersion: isKnown ? protocolVersion : LATEST_LEGACY_VERSION,
    capabilities: CAPABILITIES,
    serverInfo: serverInfo(version),
    instructions: instructions(version),
  };
  sendResult(res, id, [JSON.stringify(result)]);
}

function ping(_deps: ToolCallDeps, { id, res }: McpRequest): void {
  sendResult(res, id, ['{}']);
}

function discover(_deps: ToolCallDeps, { id, era, version, res }: McpRequest): void {
  const fields = JSON.stringify({
    supportedVersions: SUPPORTED_VERSIONS,
    capabilities: CAPABILITIES,
    instructions: instructions(version),
  });
  sendResult(res, id, plainResult(era, version, [fields.slice(1, -1)], true));
}

/** Lists all tools in the order of their server. Listing is free and makes no call. */
async function listTools({ mcpTools }: ToolCallDeps, request: McpRequest): Promise<void> {
  const { id, era, message, version, res } = request;
  if (message.params.cursor !== undefined) {
    throw new McpFault(RPC.invalidParams, 'This list has one page: there is no such cursor.');
  }
  const tools = await toolsOf(mcpTools, request);
  sendResult(res, id, plainResult(era, version, ['"tools":', tools], true));
}

async function toolsOf(mcpTools: McpTools, { version, era, hops }: McpRequest): Promise<Buffer> {
  try {
    return (await mcpTools.of(version, hops)).json(era);
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    const { code, message } = error;
    throw new McpFault(RPC.internalError, message, { data: { code, message, retryable: isRetryable(code) } });
  }
}

/** Instructions for the model: the agent's description, and the price of a call. */
function instructions({ description, terms }: ServingVersion): string {
  const most = creditsText(terms.maxCredits);
  const price = terms.model === 'per_call' ? most : `at most ${most}`;
  return `${description}\n\nA call of a tool costs ${price} (1 credit = 1 US cent); a call that fails is free.`;
}

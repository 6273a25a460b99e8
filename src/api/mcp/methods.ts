/** What an agent's endpoint answers besides `tools/call`: who it is, and which tools it has. */
import { isRetryable, MarketError } from '../../domain/errors';
import type { McpTools } from '../../services/mcp/mcp-tools';
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS, type Era } from '../../services/mcp/protocol';
import type { ServingVersion } from '../../services/catalogue/serving-version-cache';
import { McpFault, RPC, SUPPORTED_VERSIONS } from './protocol';
import { plainResult, sendResult, serverInfo } from './results';
import { callTool, type McpRequest, type ToolCallDeps } from './tool-call';

type Method = (deps: ToolCallDeps, request: McpRequest) => void | Promise<void>;

const CAPABILITIES = { tools: {} };

const METHODS: Record<Era, Readonly<Record<string, Method | undefined>>> = {
  legacy: { initialize, ping, 'tools/list': listTools, 'tools/call': callTool },
  modern: { 'server/discover': discover, 'tools/list': listTools, 'tools/call': callTool },
};

/** Answers a request; throws `McpFault`, or `MarketError` for what is no matter of the protocol. */
export async function answerRequest(deps: ToolCallDeps, request: McpRequest): Promise<void> {
  const { era, message } = request;
  const method = Object.hasOwn(METHODS[era], message.method) ? METHODS[era][message.method] : undefined;
  if (!method) {
    const status = era === 'modern' ? 404 : 200;
    throw new McpFault(RPC.methodNotFound, 'Method not found', { status });
  }
  await method(deps, request);
}

/** A version that we do not speak is answered with the newest one that opens this way; the client then decides. */
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

/** All tools at once, in the order of their server. Asking is free and makes no call. */
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

/** For the model: what it deals with, and what a call costs. */
function instructions({ description, terms }: ServingVersion): string {
  const price = terms.model === 'per_call' ? `${terms.maxCredits}` : `at most ${terms.maxCredits}`;
  return `${description}\n\nA call of a tool costs ${price} credits (1 credit = 1 US cent); a call that fails is free.`;
}

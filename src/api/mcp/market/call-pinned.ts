/** A call by the tool of a pinned agent (ADR 0335): the paid call of `call_agent`, whose arguments are the input. */
import { MarketError } from '../../../domain/errors';
import { asRecord } from '../../../domain/json-value';
import { OWN_TOOL } from '../../../services/mcp/mcp-tools';
import type { DividedMessage } from '../../bodies/divided-mcp';
import { requireMirrors } from '../tool-call';
import { optionReaders } from '../wire/call-options';
import type { McpExchange } from '../wire/mcp-request';
import { McpFault, RPC } from '../wire/protocol';
import { type CallAgentDeps, payCall } from './call-agent';
import { pinnedTarget } from './pinned-tools';
import { TOOL_NAMES } from './tool-list';

/** Throws `McpFault` (-32602) for a name that no tool has, `not_found` if the agent of the tool is not live. */
export async function callPinned(deps: CallAgentDeps, request: McpExchange, name: string): Promise<void> {
  const target = await pinnedTarget(deps, request, name);
  if (!target) {
    const tools = TOOL_NAMES.join(', ');
    throw new McpFault(
      RPC.invalidParams,
      `Unknown tool: ${name.slice(0, 128)}. The tools are: ${tools}, and those of pinned agents.`,
    );
  }
  const { version, tool } = target;
  if (!version) throw new MarketError('not_found');
  const found = await deps.mcpTools.find(version, tool ?? OWN_TOOL, request.hops);
  if (found?.gone !== undefined) throw new MarketError('agent_error', { message: found.gone });
  if (request.era === 'modern')
    requireMirrors(found?.mirrors ?? [], request.prepared.shortArguments ?? {}, request.req);
  const options = optionReaders(request.req, asRecord(request.message.params._meta));
  const terms = {
    maxCostCredits: options.maxCostCredits(),
    idempotencyKey: options.idempotencyKey(),
    metadata: options.metadata(),
    quote: options.quote(),
    accept: options.accept(),
  };
  if (tool !== undefined) request.prepared = { ...request.prepared, ...(await named(request, tool)) };
  await payCall(deps, request, version, { ...terms, hasPage: found?.hasPage === true });
}

/** The input of an agent that is an MCP server names the tool, by the name that its server gives it. */
function named({ prepared, perform }: McpExchange, tool: string): Promise<Pick<DividedMessage, 'input'>> {
  const body = prepared.input?.body ?? Buffer.from('{}');
  return perform({ kind: 'named_input', tool }, body);
}

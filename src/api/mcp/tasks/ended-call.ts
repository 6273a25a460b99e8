/** The result of a call that has ended, read when its client asks for it: what `tools/call` would have answered. */
import { MarketError } from '../../../domain/errors';
import { unitsToCredits } from '../../../domain/ledger/money';
import type { CompletedCall } from '../../../engine/invoke';
import type { InvocationWithOutput } from '../../../services/calls/invocation-views';
import { OWN_TOOL, type McpTools } from '../../../services/mcp/mcp-tools';
import { onAnswer } from '../../bodies/large-answers';
import type { McpExchange, McpRequest } from '../wire/mcp-request';
import type { Piece } from '../wire/reply';
import { errorResult, ownResult, passedResult, type WriteJson } from '../wire/results';
import { taskStatus } from './view';

/** Returns what writes JSON for an answer, large ones in a thread. */
export const writerFor =
  ({ perform }: Pick<McpExchange, 'perform'>): WriteJson =>
  async (task, output) =>
    (await onAnswer<{ json: Buffer }>(perform, task, output)).json;

/** The result of an ended call. `more` is added to its `_meta`. */
export async function endedResult(
  { mcpTools }: { mcpTools: Pick<McpTools, 'find'> },
  request: McpRequest,
  call: InvocationWithOutput,
  more: Record<string, unknown> = {},
): Promise<Piece[]> {
  const { era, version, hops } = request;
  if (taskStatus('modern', call) === 'cancelled' || call.status === 'failed') {
    const { invocationId, agentMessage } = call;
    const code = call.errorCode ?? 'already_disputed';
    const error = new MarketError(code, { invocationId, agentMessage: agentMessage ?? undefined });
    return errorResult({ era, version, error, traceId: call.traceId, more });
  }
  const completed = completedOf(call);
  const write = writerFor(request);
  if (version.kind === 'mcp') return passedResult(era, version, completed, write, more);
  const tool = await mcpTools.find(version, OWN_TOOL, hops);
  if (!tool) throw new Error('an agent that is no MCP server has a tool of its own');
  return ownResult(era, version, tool, completed, write, more);
}

/** An ended call in the form in which its first caller got it. */
export function completedOf(call: InvocationWithOutput): CompletedCall {
  const { invocationId, traceId, answer, truncatedBy, tokensIn, tokensOut, durationMs } = call;
  const chargedCredits = unitsToCredits(call.chargedUnits);
  return {
    invocationId,
    traceId,
    output: answer?.json ?? null,
    plain: answer?.plain ?? null,
    usage: { tokensIn, tokensOut, durationMs, chargedCredits },
    truncatedBy,
    replayed: false,
    served: undefined,
  };
}

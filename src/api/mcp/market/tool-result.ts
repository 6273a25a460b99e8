/** Results of the market's tools. A failure is a result in words that a model can act on (SEP-1303). */
import { MARKET_META } from '../../../domain/calls/mcp-meta';
import { type ErrorCode, type FieldProblem, isRetryable, type MarketError } from '../../../domain/errors';
import { errorBody } from '../../answers/errors';
import type { McpExchange } from '../wire/mcp-request';
import type { Piece } from '../wire/reply';
import { metaOf, resultType } from '../wire/results';
import type { ResultOf, ToolName } from './tool-schemas';

type Exchange = Pick<McpExchange, 'era' | 'server' | 'traceId'>;

/** A result that is structured, and the same as JSON text for clients that read texts only. */
export function structured<N extends ToolName>({ era, server }: Exchange, value: ResultOf<N>): Piece[] {
  const result = {
    ...resultType(era),
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: value,
    _meta: metaOf(era, server.identity),
  };
  return [JSON.stringify(result)];
}

/** What a model can do about an error. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  insufficient_credits:
    'Ask the user to add credits in the console of the market, or choose a cheaper agent.',
  max_cost_exceeded:
    'describe_agent shows the price: raise max_cost_credits if the user agrees, or choose another agent.',
  credit_cap_exceeded:
    'The owner of this connection has limited what it may spend, and can raise the limit: get_balance shows it.',
  budget_exceeded:
    'The owner of the account has set this budget, and can raise it in the console of the market.',
  input_schema_mismatch: 'describe_agent shows what the input must be.',
  idempotency_key_reused: 'Send another idempotency_key.',
  concurrency_limited: 'Wait until another call has ended.',
  already_disputed: 'get_call shows how the dispute goes.',
  forbidden: 'get_balance shows the limits of this connection.',
  insufficient_scope: 'The user can create a key with this scope in the console of the market.',
};

/** A tool of the market, or that of a pinned agent. */
type AnyTool = ToolName | 'pinned';

/** `not_found` means something else in each tool. */
const UNKNOWN: Partial<Record<AnyTool, string>> = {
  describe_agent: 'No agent with this id can be called. search_agents finds agents.',
  call_agent: 'No agent with this id can be called. search_agents finds agents.',
  pinned:
    'The agent of this tool is suspended or was withdrawn, so it cannot be called, and the tool is not listed any more. search_agents finds others.',
};
const UNKNOWN_CALL = 'This account has made no call with this id.';

/** The result of a tool that failed. It has no `structuredContent`, because clients validate it. */
export function failed({ era, server, traceId }: Exchange, error: MarketError, tool: AnyTool): Piece[] {
  const meta = {
    ...metaOf(era, server.identity),
    [MARKET_META.errorCode]: error.code,
    [MARKET_META.errorMessage]: error.message,
    ...(error.invocationId !== undefined && { [MARKET_META.invocationId]: error.invocationId }),
    [MARKET_META.traceId]: traceId,
    [MARKET_META.creditsCharged]: 0,
  };
  const texts = [wordsOf(error, tool), JSON.stringify(errorBody(error, traceId))];
  const content = texts.map((text) => ({ type: 'text', text }));
  return [JSON.stringify({ ...resultType(era), content, isError: true, _meta: meta })];
}

/** The place of a problem in the arguments. Those of a pinned agent are its input, or the arguments of its tool. */
function placeOf(loc: FieldProblem['loc'], tool: AnyTool): FieldProblem['loc'] {
  const [first, second, third] = loc;
  if (first !== 'body' && first !== 'arguments') return loc;
  if (tool !== 'pinned' || second !== 'input') return loc.slice(1);
  return loc.slice(third === 'arguments' ? 3 : 2);
}

function wordsOf(error: MarketError, tool: AnyTool): string {
  const { code, message, detail = [], agentMessage, retryAfterSeconds } = error;
  if (code === 'not_found') return UNKNOWN[tool] ?? UNKNOWN_CALL;
  const fields = detail.map(({ loc, msg }) => {
    const path = placeOf(loc, tool);
    return path.length === 0 ? msg : `${path.join('.')} ${msg}`;
  });
  const wait = retryAfterSeconds === undefined ? '' : ` after ${retryAfterSeconds} s`;
  const isFree = tool === 'call_agent' || tool === 'pinned' ? 'Nothing was charged. ' : '';
  const retry = isRetryable(code) ? `${isFree}Try again${wait}, or choose another agent.` : undefined;
  return [
    message,
    ...(fields.length > 0 ? [`${fields.join('; ')}.`] : []),
    ...(agentMessage === undefined ? [] : [`The agent says: ${agentMessage}`]),
    ADVICE[code] ?? retry ?? '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

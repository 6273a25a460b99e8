/** A call as the tools of the market show it. */
import { isFinal } from '../../../domain/calls/invocation-state';
import { unitsToCredits } from '../../../domain/ledger/money';
import type { CompletedCall } from '../../../engine/invoke';
import type { InvocationWithOutput } from '../../../services/calls/invocation-views';
import type { ServingVersion } from '../../../services/catalogue/serving-version-cache';
import { callErrorView } from '../../views/calls';
import { completedOf, writerFor } from '../tasks/ended-call';
import { openQuestion } from '../tasks/view';
import type { McpExchange } from '../wire/mcp-request';
import type { Piece } from '../wire/reply';
import { callMeta, contentOf, resultType } from '../wire/results';
import type { ResultOf } from './tool-schemas';

type State = Omit<ResultOf<'get_call'>, 'output'>;
type Exchange = Pick<McpExchange, 'era' | 'server' | 'perform'>;

const NEXT = {
  running:
    'The call goes on, and nothing has failed. Fetch its result with get_call; do not call the agent again for it.',
  input_required:
    'The agent waits: send an object that question.schema accepts with answer_question, then fetch the result with get_call.',
  succeeded:
    'The call is paid. If its answer is wrong, open_dispute asks for the money back within 72 hours.',
  failed: 'Nothing more happens. Call the agent again, or choose another one.',
  disputed: 'get_call shows how the dispute goes.',
} as const;

/** What is known of a call, but for its output. */
export function stateOf(call: InvocationWithOutput): State {
  const question = openQuestion(call);
  const status = question ? 'input_required' : call.status === 'pending' ? 'running' : call.status;
  const charged = unitsToCredits(call.chargedUnits);
  const error = callErrorView(call.errorCode, charged);
  const { job, dispute, agentMessage } = call;
  return {
    invocation_id: call.invocationId,
    agent_id: call.agentId,
    agent_name: call.agentName,
    status,
    credits_charged: charged,
    credits_refunded: unitsToCredits(call.refundedUnits),
    ...(error && { error: { ...error, ...(agentMessage !== null && { agent_message: agentMessage }) } }),
    ...(job && !isFinal(call.status) && { progress: { share: job.progress, message: job.message } }),
    ...(question && {
      question: {
        question_id: question.questionId,
        prompt: question.prompt,
        schema: question.schema,
        expires_at: question.expiresAt.toISOString(),
      },
    }),
    ...(dispute && { dispute: { dispute_id: dispute.disputeId, status: dispute.status } }),
    next: NEXT[status],
  };
}

/** The state of a call that its caller waited for. */
export function stateOfCompleted(
  { agentId, displayName }: ServingVersion,
  { invocationId, usage }: CompletedCall,
): State {
  return {
    invocation_id: invocationId,
    agent_id: agentId,
    agent_name: displayName,
    status: 'succeeded',
    credits_charged: usage.chargedCredits,
    credits_refunded: 0,
    next: NEXT.succeeded,
  };
}

/** What a result says of an answer that it cannot show. */
const NOT_KEPT =
  'The answer was delivered when the call ended, and is not kept any more. A call with an idempotency_key is kept for longer.';

/** Whose answer a result shows. */
interface Answerer {
  /** The agent is an MCP server: the answer is the result of its tool. */
  isServer: boolean;
  /** The tool has a page, which reads the result as its server made it. */
  hasPage?: boolean;
  /** Is added to `_meta`. */
  more?: Record<string, unknown> | undefined;
}

/** The result of a tool about a call, with the answer of the agent as it is. */
export async function callPieces(
  { era, server, perform }: Exchange,
  state: State,
  call: CompletedCall,
  { isServer, hasPage = false, more }: Answerer,
): Promise<Piece[]> {
  const { output, plain } = call;
  const write = writerFor({ perform });
  const meta = { ...callMeta(era, server.identity, call), ...more };
  if (output === null) {
    const shown = state.status === 'succeeded' ? { ...state, next: `${NOT_KEPT} ${state.next}` } : state;
    const content = [{ type: 'text', text: JSON.stringify(shown) }];
    return [JSON.stringify({ ...resultType(era), content, structuredContent: shown, _meta: meta })];
  }
  if (isServer)
    return [await write({ kind: 'mcp_result', first: resultType(era), meta, call: state, hasPage }, output)];
  const fields = JSON.stringify(state);
  // Bytes are in the content alone: twice they would fill the context of a model.
  const isShown = !plain?.isBase64;
  return [
    era === 'modern' ? '{"resultType":"complete",' : '{',
    '"content":[',
    ...(await contentOf(call, output, write)),
    `,{"type":"text","text":${JSON.stringify(fields)}}],"structuredContent":`,
    ...(isShown ? [`${fields.slice(0, -1)},"output":`, output, '}'] : [fields]),
    `,"_meta":${JSON.stringify(meta)}}`,
  ];
}

/** The result of a tool about a call that was read: its state, and its answer if it is kept. */
export function readPieces(
  exchange: Exchange,
  call: InvocationWithOutput,
  options: { withReceipt?: boolean; more?: Record<string, unknown> } = {},
): Promise<Piece[]> {
  const receipt = options.withReceipt && call.evidence ? { receipt: { ...call.evidence } } : {};
  const state = { ...stateOf(call), ...receipt };
  const answerer = { isServer: call.agentKind === 'mcp', more: options.more };
  return callPieces(exchange, state, completedOf(call), answerer);
}

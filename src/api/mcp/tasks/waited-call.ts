/** Waits for a call of a buyer, and answers what its agent asks. The servers of agents and of the market share this. */
import { isFinal } from '../../../domain/calls/invocation-state';
import { MarketError } from '../../../domain/errors';
import { isRecord } from '../../../domain/json-value';
import { anySignal } from '../../../kit/concurrency/any-signal';
import type { InvocationWithOutput } from '../../../services/calls/invocation-views';
import type { McpExchange } from '../wire/mcp-request';
import { McpFault, RPC } from '../wire/protocol';
import { type CallScope, readCallOf, statesOf, type TaskFollowDeps } from './follow';
import { progressReporter } from './progress';
import { answerAll, asksOnStream, type QuestionDeps, questionSender } from './questions';

/** Waits for the end of a call, and reports its progress meanwhile. Ends early at a question that needs an answer. */
export async function waitedCall(
  deps: TaskFollowDeps,
  request: McpExchange,
  scope: CallScope,
  { first, waitMs }: { first: InvocationWithOutput; waitMs: number },
): Promise<InvocationWithOutput> {
  if (isFinal(first.status) || waitMs === 0) return first;
  let call = first;
  const report = progressReporter(request);
  const ask = questionSender(request, call.invocationId, false);
  const leave = deps.callWaits.enter(call.invocationId, scope.buyerUserId);
  try {
    const over = anySignal(AbortSignal.timeout(waitMs), request.reply.gone);
    for await (const state of statesOf(deps, scope, call.invocationId, over)) {
      call = state;
      if (isFinal(call.status) || !call.job) continue;
      if (call.job.question && !asksOnStream(request)) break;
      await ask(call.job.question);
      await report(call.job);
    }
  } finally {
    leave();
  }
  return call;
}

/**
 * A call that is sent again with the answers to what its agent asked (2026-07-28, "Multi Round-Trip Requests"): gives
 * the answers to the call that `requestState` names, which is neither made nor paid again. It is the id of a call of
 * the caller, so a caller that changes it reads only what it may read anyway. Throws `McpFault` (-32602) for any other;
 * `owner` says whose it would have to be.
 */
export async function answeredCall(
  deps: TaskFollowDeps & QuestionDeps,
  { message }: McpExchange,
  scope: CallScope,
  owner: string,
): Promise<InvocationWithOutput> {
  const { requestState, inputResponses = {} } = message.params;
  const { invocationId } = await readCallOf(deps, scope, requestState).catch((error: unknown) => {
    if (!(error instanceof MarketError) || error.code !== 'not_found') throw error;
    throw new McpFault(RPC.invalidParams, `params.requestState is not one of ${owner}.`);
  });
  if (!isRecord(inputResponses))
    throw new McpFault(RPC.invalidParams, 'params.inputResponses must be an object.');
  await answerAll(deps, { buyerUserId: scope.buyerUserId, taskId: invocationId }, inputResponses);
  return readCallOf(deps, scope, invocationId);
}

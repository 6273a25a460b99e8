/** Waits for a call of a buyer, and answers what its agent asks. The servers of agents and of the market share this. */
import { isFinal } from '../../../domain/calls/invocation-state';
import { MarketError } from '../../../domain/errors';
import { isRecord } from '../../../domain/json-value';
import { anySignal } from '../../../kit/concurrency/any-signal';
import type { InvocationWithOutput } from '../../../services/calls/invocation-views';
import type { McpExchange } from '../wire/mcp-request';
import { McpFault, RPC } from '../wire/protocol';
import { answerForms, type HeldFormDeps } from './held-forms';
import type { HeldForm } from '../../../services/mcp/live-forms';
import { type CallScope, readCallOf, statesOf, type TaskFollowDeps } from './follow';
import { progressReporter } from './progress';
import { answerAll, asksOnStream, type QuestionDeps, questionSender } from './questions';

/** Waits for the end of a call, and reports its progress meanwhile. Ends early at a question that needs an answer. */
export async function waitedCall(
  deps: TaskFollowDeps,
  request: McpExchange,
  scope: CallScope,
  { first, waitMs, until }: { first: InvocationWithOutput; waitMs: number; until?: AbortSignal },
): Promise<InvocationWithOutput> {
  if (isFinal(first.status) || waitMs === 0) return first;
  let call = first;
  const report = progressReporter(request);
  const ask = questionSender(request, call.invocationId, false);
  const leave = deps.callWaits.enter(call.invocationId, scope.buyerUserId);
  try {
    const limit = anySignal(AbortSignal.timeout(waitMs), request.reply.gone);
    const over = until ? anySignal(limit, until) : limit;
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
  deps: TaskFollowDeps & QuestionDeps & HeldFormDeps,
  { message, principal }: McpExchange,
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
  const forms = await answerForms(deps, principal.userId, inputResponses);
  const others = Object.entries(inputResponses).filter(([key]) => !forms.has(key));
  const task = { buyerUserId: scope.buyerUserId, taskId: invocationId };
  await answerAll(deps, task, Object.fromEntries(others));
  return readCallOf(deps, scope, invocationId);
}

/** Waits for a call that its client has sent again, and for the next form that its server asks meanwhile. */
export async function resumedCall(
  deps: TaskFollowDeps & HeldFormDeps,
  request: McpExchange,
  scope: CallScope,
  wait: { first: InvocationWithOutput; waitMs: number },
): Promise<{ call: InvocationWithOutput; form?: HeldForm | undefined }> {
  const { first } = wait;
  if (first.agentKind !== 'mcp' || first.isTask || isFinal(first.status))
    return { call: await waitedCall(deps, request, scope, wait) };
  const { inputResponses } = request.message.params;
  const except = new Set(isRecord(inputResponses) ? Object.keys(inputResponses) : []);
  const stop = new AbortController();
  const who = { userId: request.principal.userId, invocationId: first.invocationId };
  const asked = deps.liveForms.next(who, stop.signal, { except }).finally(() => stop.abort());
  const call = await waitedCall(deps, request, scope, { ...wait, until: stop.signal });
  stop.abort();
  const form = await asked;
  return isFinal(call.status) ? { call } : { call, form };
}

/** The tool `get_result` (ADR 0311): fetches the result of an earlier call, for clients that know tools only. */
import { isFinal } from '../../domain/calls/invocation-state';
import { MarketError } from '../../domain/errors';
import type { InvocationWithOutput } from '../../services/calls/invocation-views';
import { JOB_RESULT_TOOL, type McpTools } from '../../services/mcp/mcp-tools';
import { type FaultDeps, toMarketError } from '../answers/errors';
import { jobPatienceMs } from './call-patience';
import { progressReporter } from './tasks/progress';
import { answerAll, asksOnStream, type QuestionDeps, questionSender } from './tasks/questions';
import { McpFault, RPC } from './wire/protocol';
import { isRecord } from '../../domain/json-value';
import type { McpRequest } from './wire/mcp-request';
import type { Piece } from './wire/reply';
import { errorResult } from './wire/results';
import { runningAnswer } from './running-call';
import { readCallOf, statesOf, type TaskFollowDeps } from './tasks/follow';

export interface JobResultDeps extends FaultDeps, TaskFollowDeps, QuestionDeps {
  mcpTools: Pick<McpTools, 'find'>;
  config: { PUBLIC_ORIGIN: string };
}

/** Waits for the end of a call as long as `tools/call` waits for a job, and answers as that does. */
export async function fetchResult(
  deps: JobResultDeps,
  request: McpRequest,
  { invocation_id: invocationId }: Record<string, unknown>,
): Promise<void> {
  const { id, era, version, traceId, reply } = request;
  let result: Piece[];
  try {
    result = await resultOf(deps, request, invocationId);
  } catch (error) {
    const failure = toMarketError(error, deps, traceId);
    if (failure.code !== 'not_found' && failure.code !== 'concurrency_limited') throw failure;
    const known = failure.code === 'not_found' ? new MarketError('not_found', { message: UNKNOWN }) : failure;
    result = errorResult({ era, version, error: known, traceId });
  }
  reply.result(id, result);
}

/**
 * A call that is sent again with the answers to what its agent asked (2026-07-28, "Multi Round-Trip Requests"):
 * `requestState` names the call, which is neither made nor paid again. It is the id of a call of the caller at this
 * agent, so a caller that changes it reads only what it may read anyway. Throws `McpFault` (-32602) for any other.
 */
export async function resumeCall(deps: JobResultDeps, request: McpRequest): Promise<void> {
  const { id, message, principal, version, reply } = request;
  const { requestState, inputResponses = {} } = message.params;
  const { userId: buyerUserId } = principal;
  const unknown = new McpFault(
    RPC.invalidParams,
    'params.requestState is not one of this account and agent.',
  );
  const call = await readCallOf(deps, { buyerUserId, agentId: version.agentId }, requestState).catch(
    (error: unknown) => {
      throw error instanceof MarketError && error.code === 'not_found' ? unknown : error;
    },
  );
  if (!isRecord(inputResponses))
    throw new McpFault(RPC.invalidParams, 'params.inputResponses must be an object.');
  await answerAll(deps, { buyerUserId, taskId: call.invocationId }, inputResponses);
  reply.result(id, await resultOf(deps, request, call.invocationId));
}

const UNKNOWN = `${JOB_RESULT_TOOL} takes {"invocation_id": "inv_…"}, the id of a call that the account has made of this agent.`;

async function resultOf(deps: JobResultDeps, request: McpRequest, invocationId: unknown): Promise<Piece[]> {
  const { principal, version, reply } = request;
  const scope = { buyerUserId: principal.userId, agentId: version.agentId };
  let call: InvocationWithOutput = await readCallOf(deps, scope, invocationId);
  const report = progressReporter(request);
  const ask = questionSender(request, call.invocationId, false);
  const leave = deps.callWaits.enter(call.invocationId, scope.buyerUserId);
  try {
    const over = AbortSignal.any([AbortSignal.timeout(jobPatienceMs(request)), reply.gone]);
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
  if (isFinal(call.status)) return request.server.ended(call);
  const { origin } = new URL(deps.config.PUBLIC_ORIGIN);
  return runningAnswer(request, { invocationId: call.invocationId, call, origin, declaresOutput: false });
}

/** The tool `get_result` (ADR 0311): fetches the result of an earlier call, for clients that know tools only. */
import { isFinal } from '../../domain/calls/invocation-state';
import { MarketError } from '../../domain/errors';
import type { InvocationWithOutput } from '../../services/calls/invocation-views';
import { JOB_RESULT_TOOL, type McpTools } from '../../services/mcp/mcp-tools';
import { type FaultDeps, toMarketError } from '../answers/errors';
import { jobPatienceMs } from './call-patience';
import type { QuestionDeps } from './tasks/questions';
import type { McpRequest } from './wire/mcp-request';
import type { Piece } from './wire/reply';
import { errorResult } from './wire/results';
import { runningAnswer } from './running-call';
import { type CallScope, readCallOf, type TaskFollowDeps } from './tasks/follow';
import { formResult, type HeldFormDeps } from './tasks/held-forms';
import { answeredCall, resumedCall, waitedCall } from './tasks/waited-call';

export interface JobResultDeps extends FaultDeps, TaskFollowDeps, QuestionDeps, HeldFormDeps {
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

/** Answers what the agent of a call has asked, and waits for the call again. */
export async function resumeCall(deps: JobResultDeps, request: McpRequest): Promise<void> {
  const scope = scopeOf(request);
  const first = await answeredCall(deps, request, scope, 'this account and agent');
  const { call, form } = await resumedCall(deps, request, scope, { first, waitMs: jobPatienceMs(request) });
  const result = form ? formResult(request, call.invocationId, form) : resultAbout(deps, request, call);
  request.reply.result(request.id, await result);
}

const scopeOf = ({ principal, version }: McpRequest): CallScope => ({
  buyerUserId: principal.userId,
  agentId: version.agentId,
});

const UNKNOWN = `${JOB_RESULT_TOOL} takes {"invocation_id": "inv_…"}, the id of a call that the account has made of this agent.`;

async function resultOf(deps: JobResultDeps, request: McpRequest, invocationId: unknown): Promise<Piece[]> {
  const scope = scopeOf(request);
  const first = await readCallOf(deps, scope, invocationId);
  const call = await waitedCall(deps, request, scope, { first, waitMs: jobPatienceMs(request) });
  return resultAbout(deps, request, call);
}

async function resultAbout(
  deps: JobResultDeps,
  request: McpRequest,
  call: InvocationWithOutput,
): Promise<Piece[]> {
  if (isFinal(call.status)) return request.server.ended(call);
  const { origin } = new URL(deps.config.PUBLIC_ORIGIN);
  return runningAnswer(request, { invocationId: call.invocationId, call, origin, declaresOutput: false });
}

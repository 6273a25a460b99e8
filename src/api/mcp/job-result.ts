/** The tool `get_result` (ADR 0311): fetches the result of an earlier call, for clients that know tools only. */
import { isFinal } from '../../domain/calls/invocation-state';
import { MarketError } from '../../domain/errors';
import type { InvocationWithOutput } from '../../services/calls/invocation-views';
import { JOB_RESULT_TOOL, type McpTools } from '../../services/mcp/mcp-tools';
import { type FaultDeps, toMarketError } from '../answers/errors';
import { jobPatienceMs } from './call-patience';
import { progressReporter } from './tasks/progress';
import { endedResult } from './tasks/ended-call';
import type { McpRequest } from './wire/mcp-request';
import type { Piece } from './wire/reply';
import { errorResult } from './wire/results';
import { runningResult } from './running-call';
import { readCallOf, statesOf, type TaskFollowDeps } from './tasks/follow';

export interface JobResultDeps extends FaultDeps, TaskFollowDeps {
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

const UNKNOWN = `${JOB_RESULT_TOOL} takes {"invocation_id": "inv_…"}, the id of a call that the account has made of this agent.`;

async function resultOf(deps: JobResultDeps, request: McpRequest, invocationId: unknown): Promise<Piece[]> {
  const { principal, version, reply } = request;
  const scope = { buyerUserId: principal.userId, agentId: version.agentId };
  let call: InvocationWithOutput = await readCallOf(deps, scope, invocationId);
  const report = progressReporter(request);
  const leave = deps.callWaits.enter(call.invocationId, scope.buyerUserId);
  try {
    const over = AbortSignal.any([AbortSignal.timeout(jobPatienceMs(request)), reply.gone]);
    for await (const state of statesOf(deps, scope, call.invocationId, over)) {
      call = state;
      if (!isFinal(call.status) && call.job) await report(call.job);
    }
  } finally {
    leave();
  }
  if (isFinal(call.status)) return endedResult(deps, request, call);
  const { origin } = new URL(deps.config.PUBLIC_ORIGIN);
  return runningResult(request, { invocationId: call.invocationId, call, origin, declaresOutput: false });
}

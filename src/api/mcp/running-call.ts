/**
 * The answers about a call that has not ended: a task for a client that takes one, and for any other client a result in
 * words, which names how to fetch the answer (ADR 0310).
 */
import { MARKET_META } from '../../domain/calls/mcp-meta';
import type { InvocationWithOutput } from '../../services/calls/invocation-views';
import { JOB_RESULT_TOOL } from '../../services/mcp/mcp-tools';
import type { McpExchange, McpRequest } from './wire/mcp-request';
import type { Piece } from './wire/reply';
import { metaOf, resultType } from './wire/results';
import { inputRequests } from './tasks/questions';
import { openQuestion, reportOf, taskJson } from './tasks/view';

/** The result of `tools/call` for a client that takes tasks: `CreateTaskResult` of its era. */
export function createdTask({ era, server, traceId }: McpExchange, call: InvocationWithOutput): Piece[] {
  const task = taskJson(era, call);
  const _meta = {
    ...metaOf(era, server.identity),
    [MARKET_META.invocationId]: call.invocationId,
    [MARKET_META.traceId]: traceId,
  };
  return [JSON.stringify(era === 'modern' ? { resultType: 'task', ...task, _meta } : { task, _meta })];
}

export interface Running {
  invocationId: string;
  /** Undefined if only the account that pays can read the call. */
  call: InvocationWithOutput | undefined;
  /** The public address of the marketplace. */
  origin: string;
  /** The tool declares its output: its client refuses a result without one, unless it is an error. */
  declaresOutput: boolean;
}

/**
 * The answer about a call that goes on: what the agent asks, for a modern client that shows forms, and else a result in
 * words. The client sends an answer with the call again, and `requestState` names the call: it is not paid twice.
 */
export function runningAnswer(request: McpRequest, running: Running): Piece[] {
  const { era, client, version } = request;
  const question = running.call && openQuestion(running.call);
  if (!question || era !== 'modern' || !client.elicits) return runningResult(request, running);
  const result = {
    resultType: 'input_required',
    inputRequests: inputRequests(question),
    requestState: running.invocationId,
    _meta: { ...metaOf(era, version), [MARKET_META.invocationId]: running.invocationId },
  };
  return [JSON.stringify(result)];
}

/** The result of a tool whose call goes on after the client's patience. Nothing has failed. */
function runningResult(request: McpRequest, running: Running): Piece[] {
  const { era, version, traceId } = request;
  const { invocationId, call, declaresOutput } = running;
  const result = {
    ...resultType(era),
    content: [{ type: 'text', text: words(request, running) }],
    ...(!declaresOutput && {
      structuredContent: {
        invocation_id: invocationId,
        status: 'running',
        progress: call?.job?.progress ?? null,
        message: call?.job?.message ?? null,
      },
    }),
    isError: declaresOutput,
    _meta: {
      ...metaOf(era, version),
      [MARKET_META.invocationId]: invocationId,
      [MARKET_META.traceId]: traceId,
      [MARKET_META.status]: 'running',
    },
  };
  return [JSON.stringify(result)];
}

function words({ version }: McpRequest, { invocationId, call, origin }: Running): string {
  const report = reportOf(call?.job);
  const asked = call && openQuestion(call);
  const url = `${origin}/v1/invocations/${invocationId}?wait=30`;
  const ways = [
    ...(version.kind !== 'mcp' && version.jobs && call
      ? [`call the tool ${JOB_RESULT_TOOL} with {"invocation_id": "${invocationId}"}`]
      : []),
    call ? `send GET ${url} with the same credentials` : `the account that pays sends GET ${url}`,
    `run market invocations wait ${invocationId}`,
  ];
  return [
    `The agent still works on this call, ${invocationId}.`,
    ...(report === undefined ? [] : [`It reports: ${report}`]),
    'Nothing has failed, and the call goes on. Do not call the tool again: that begins a second call, which has its own price.',
    ...(asked === undefined
      ? []
      : [
          `It waits for the answer until ${asked.expiresAt.toISOString()}: send POST ${origin}/v1/invocations/${invocationId}/input`,
          `with {"question_id": ${JSON.stringify(asked.questionId)}, "input": …}, an object of the schema ${JSON.stringify(asked.schema)}.`,
        ]),
    `To get the result: ${ways.join('; or ')}.`,
  ].join(' ');
}

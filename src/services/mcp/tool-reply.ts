/** The replies to a tool call and about its task. They depend on the message alone, so a thread reads large ones. */
import { isRecord } from '../../domain/json-value';
import { requestProblem } from '../../domain/jobs/passed-form';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import {
  agentFailure,
  HIDDEN_META,
  MISSING_CAPABILITY,
  type JsonObject,
  replyIn,
  type ToolAnswer,
  type ToolResult,
} from './protocol';
import { taskOf, taskOfCall } from './task-reply';

/**
 * A result, the state of a task, a task that is completed with its result, or the code of a refusal (null if it is not
 * a JSON-RPC error).
 */
export type ToolReply =
  ({ kind: 'result' } & ToolAnswer) | { kind: 'refused'; code: number | null; data?: unknown };

/**
 * Returns the reply to request `id`; undefined if the message is none. Throws `agent_error` if it is invalid. `about`:
 * what was asked for, the result of a tool or the state of a task.
 */
export function readToolReply(
  message: unknown,
  id: number,
  about: 'result' | 'task' = 'result',
): ToolReply | undefined {
  const reply = replyIn(message, id, { status: 200, sessionId: null });
  if (reply?.kind === 'refused' && reply.code === MISSING_CAPABILITY)
    return { kind: 'refused', code: reply.code, data: reply.data };
  if (reply?.kind !== 'result') return reply && { kind: 'refused', code: reply.code };
  return { kind: 'result', ...(about === 'task' ? stateIn(reply.result) : answerIn(reply.result)) };
}

function answerIn(result: JsonObject): ToolAnswer {
  const task = taskOfCall(result);
  if (result['resultType'] === 'input_required') return askingResultOf(withoutHidden(result));
  return task ? { task } : toolResultOf(completeResult(result));
}

/** The modern era has the result of a completed task beside its state; in 2025-11-25, it is fetched. */
function stateIn(state: JsonObject): ToolAnswer {
  const task = taskOf(state);
  const { result } = state;
  if (task.status !== 'completed' || !isRecord(result)) return { task };
  return { task, ...toolResultOf(completeResult(result)) };
}

/** An absent `resultType` means complete. Other values of modern servers need features that we did not offer. */
export function completeResult(result: JsonObject): JsonObject {
  const { resultType = 'complete' } = result;
  if (resultType !== 'complete') throw agentFailure('not a complete result');
  return withoutHidden(result);
}

/** A server of any era may name itself or its task in a result. Buyers see the agent, not the server behind it. */
function withoutHidden(result: JsonObject): JsonObject {
  const { _meta: meta, ...rest } = result;
  if (!isRecord(meta) || !HIDDEN_META.some((key) => key in meta)) return result;
  const others = Object.fromEntries(Object.entries(meta).filter(([key]) => !HIDDEN_META.includes(key)));
  return { ...rest, ...(Object.keys(others).length > 0 && { _meta: others }) };
}

/** Requests of one result, and the longest result that needs input. */
const MOST_REQUESTS = 32;
const LONGEST_ASKING = 65_536;

/** A result that needs input before the tool has one (2026-07-28, "Multi Round-Trip Requests"). It costs nothing. */
function askingResultOf(result: JsonObject): ToolResult {
  const { inputRequests = {}, requestState } = result;
  const isState = requestState === undefined || typeof requestState === 'string';
  const json = Buffer.from(JSON.stringify(result));
  if (!isRecord(inputRequests) || !isState || json.length > LONGEST_ASKING)
    throw agentFailure('not a result that needs input');
  const requests = Object.values(inputRequests);
  if (requests.length > MOST_REQUESTS) throw agentFailure('too many requests for input');
  const refused = requests.map(requestProblem).find((problem) => problem !== undefined) ?? null;
  return { json, sha256: sha256Hex(canonicalJson(result)), isError: true, asks: { refused } };
}

function toolResultOf(result: JsonObject): ToolResult {
  const { content, isError = false } = result;
  const hasContent = Array.isArray(content) ? content.every(isRecord) : 'structuredContent' in result;
  if (!hasContent || typeof isError !== 'boolean') throw agentFailure('not the result of a tool');
  return { json: Buffer.from(JSON.stringify(result)), sha256: sha256Hex(canonicalJson(result)), isError };
}

/**
 * Tasks of MCP servers, in the form of each era: the extension `io.modelcontextprotocol/tasks` of the modern one
 * (SEP-2663), and the tasks of revision 2025-11-25. What a server says of a task is untrusted.
 */
import { lineOf } from '../../domain/calls/failure-facts';
import { asRecord, isRecord } from '../../domain/json-value';
import { agentFailure, type JsonObject, type McpForm, type McpTask } from './protocol';

const STATUSES: readonly McpTask['status'][] = [
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
];

/** An id is part of a header of each request about its task. */
const LONGEST_ID = 1_024;
const LONGEST_MESSAGE = 300;

/**
 * The task that a server has made of a tool call; undefined if the result is none. The modern era marks it by
 * `resultType`; 2025-11-25 has it in a member of its own, instead of content.
 */
export function taskOfCall(result: JsonObject): McpTask | undefined {
  const { resultType, task, content = [] } = result;
  if (resultType === 'task') return taskOf(result);
  const isEmpty = Array.isArray(content) && content.length === 0 && !('structuredContent' in result);
  return resultType === undefined && isEmpty && isRecord(task) ? taskOf(task) : undefined;
}

/** Reads what a server says of a task. Throws `agent_error` if it is none. */
export function taskOf(state: JsonObject): McpTask {
  const { taskId, status, statusMessage, pollIntervalMs, pollInterval } = state;
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > LONGEST_ID)
    throw agentFailure('not the id of a task');
  const known = STATUSES.find((each) => each === status);
  if (!known) throw agentFailure('not the status of a task');
  const pollMs = pollIntervalMs ?? pollInterval;
  return {
    taskId,
    status: known,
    message: typeof statusMessage === 'string' ? lineOf(statusMessage, LONGEST_MESSAGE) : null,
    pollMs: typeof pollMs === 'number' && pollMs >= 0 ? pollMs : null,
    ...(known === 'input_required' && { asks: formsIn(state['inputRequests']) }),
  };
}

/** More of a form is not read: it is larger than every question. */
const LONGEST_FORM = 65_536;
const MOST_FORMS = 64;

/** The forms among the requests of a task. Requests of other kinds were not offered to the server. */
function formsIn(requests: unknown): McpForm[] {
  if (!isRecord(requests)) return [];
  const first = Object.entries(requests).slice(0, MOST_FORMS);
  return first.flatMap(([key, request]) => {
    const { method, params } = asRecord(request);
    const { mode = 'form', message, requestedSchema } = asRecord(params);
    if (method !== 'elicitation/create' || mode !== 'form') return [];
    const isLong = JSON.stringify(params ?? null).length > LONGEST_FORM;
    return [{ key, prompt: message, schema: isLong ? null : requestedSchema }];
  });
}

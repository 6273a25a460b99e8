/**
 * Questions of agents (ADR 0306) as elicitation: requests that a client shows as a form, and the responses to them. A
 * client that declines or dismisses a form leaves the question open: another door can answer it, and cancellation ends
 * the call.
 */
import { MarketError } from '../../../domain/errors';
import { asRecord, isRecord } from '../../../domain/json-value';
import type { JobEngine } from '../../../engine/jobs';
import type { OpenQuestion } from '../../../services/calls/invocation-views';
import { sentenceOf } from '../../requests/request-fields';
import type { McpExchange } from '../wire/mcp-request';
import { McpFault, PROTOCOL_META, RPC } from '../wire/protocol';
import { serverRequest } from '../wire/reply';

export interface QuestionDeps {
  jobEngine: Pick<JobEngine, 'answer'>;
}

/** `elicitation/create` of a question. */
export function elicitation({ prompt, schema }: OpenQuestion) {
  return {
    method: 'elicitation/create',
    params: { mode: 'form', message: prompt, requestedSchema: schema },
  };
}

/** The requests of a task or result that waits for input: one, by the id of its question. */
export const inputRequests = (question: OpenQuestion) => ({ [question.questionId]: elicitation(question) });

/**
 * Answers a question by what the client sent back for it. What is not accepted, or not asked any more, changes nothing.
 * Throws `McpFault` (-32602) for an answer that does not match the schema.
 */
export async function answerQuestion(
  { jobEngine }: QuestionDeps,
  { buyerUserId, taskId, questionId }: { buyerUserId: string; taskId: string; questionId: string },
  response: unknown,
): Promise<void> {
  if (!isRecord(response)) throw new McpFault(RPC.invalidParams, 'A response is {"action", "content"}.');
  if (response['action'] !== 'accept') return;
  try {
    await jobEngine.answer(buyerUserId, taskId, { questionId, input: response['content'] ?? {} });
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    if (error.code === 'invalid_state' || error.code === 'not_found') return;
    if (error.code !== 'validation_failed') throw error;
    throw new McpFault(RPC.invalidParams, sentenceOf(error), { data: { detail: error.detail } });
  }
}

/** Answers the questions of a task, by `inputResponses`. */
export async function answerAll(
  deps: QuestionDeps,
  task: { buyerUserId: string; taskId: string },
  responses: Record<string, unknown>,
): Promise<void> {
  for (const [questionId, response] of Object.entries(responses).slice(0, MOST_RESPONSES))
    await answerQuestion(deps, { ...task, questionId }, response);
}

/** A call has one open question at a time. */
const MOST_RESPONSES = 32;
const REQUEST_ID = /^qst:(inv_[0-9a-f]{32}):([A-Za-z0-9_.:-]{1,64})$/;

/** True for a legacy client that can be asked on the stream of its request. */
export const asksOnStream = ({ era, client, reply }: McpExchange): boolean =>
  era === 'legacy' && client.elicits && reply.streams;

/**
 * Returns the function that asks a legacy client on the stream of its request, once for each question. Its response
 * comes with a request of its own, to any process, so the id of the request names the question.
 */
export function questionSender(request: McpExchange, taskId: string, isTask: boolean) {
  const { reply } = request;
  const sent = new Set<string>();
  return async (question: OpenQuestion | null | undefined): Promise<void> => {
    if (!question || !asksOnStream(request)) return;
    const { questionId } = question;
    if (sent.has(questionId)) return;
    sent.add(questionId);
    const { method, params } = elicitation(question);
    const related = { _meta: { [PROTOCOL_META.relatedTask]: { taskId } } };
    await reply.send(
      serverRequest(`qst:${taskId}:${questionId}`, method, { ...params, ...(isTask && related) }),
    );
  };
}

/** What a legacy client sent back for a question. */
export interface AskedResponse {
  taskId: string;
  questionId: string;
  response: unknown;
}

/** The question that a response of a client is about; undefined if the server did not ask it. */
export function questionOf(message: unknown): AskedResponse | undefined {
  const { id, method, result } = asRecord(message);
  const [, taskId, questionId] = (typeof id === 'string' && REQUEST_ID.exec(id)) || [];
  if (method !== undefined || taskId === undefined || questionId === undefined) return undefined;
  // An error of the client, such as one without forms, answers nothing.
  return { taskId, questionId, response: isRecord(result) ? result : { action: 'cancel' } };
}

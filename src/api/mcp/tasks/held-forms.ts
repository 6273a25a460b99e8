/** Forms that a legacy server asks a modern client during a call (ADR 0284): the results with them, and the answers. */
import { MARKET_META } from '../../../domain/calls/mcp-meta';
import {
  FORM_ID_PATTERN,
  formAnswerOf,
  type HeldForm,
  type LiveForms,
} from '../../../services/mcp/live-forms';
import type { McpExchange } from '../wire/mcp-request';
import type { Piece } from '../wire/reply';
import { metaOf } from '../wire/results';

export interface HeldFormDeps {
  liveForms: LiveForms;
}

/** The form that a call of this process asks, for a client that takes it. */
export function heldForm(
  { liveForms }: HeldFormDeps,
  { era, client, principal }: McpExchange,
  invocationId: string,
): HeldForm | undefined {
  return era === 'modern' && client.elicits ? liveForms.heldBy(principal.userId, invocationId) : undefined;
}

/** A result that asks. The client sends the call again with the answer, and the state names the call that goes on. */
export function formResult(
  { era, server }: McpExchange,
  invocationId: string,
  { formId, form }: HeldForm,
): Piece[] {
  const result = {
    resultType: 'input_required',
    inputRequests: { [formId]: { method: 'elicitation/create', params: form } },
    requestState: invocationId,
    _meta: { ...metaOf(era, server.identity), [MARKET_META.invocationId]: invocationId },
  };
  return [JSON.stringify(result)];
}

/** Gives the answers to forms among the responses of a client. Returns the ids of those forms. */
export async function answerForms(
  { liveForms }: HeldFormDeps,
  userId: string,
  responses: Record<string, unknown>,
): Promise<ReadonlySet<string>> {
  const ids = Object.keys(responses).filter((key) => FORM_ID_PATTERN.test(key));
  for (const formId of ids.slice(0, MOST_FORMS))
    await liveForms.answer(userId, formId, formAnswerOf(responses[formId]));
  return new Set(ids);
}

/** A call asks one form at a time. */
const MOST_FORMS = 8;

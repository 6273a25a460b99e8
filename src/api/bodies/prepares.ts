/**
 * Converts validated bodies into what handlers need: the bytes of the input, its hash, its canonical form. These
 * functions run in a thread for large bodies (`body-worker.ts`), so they depend on the body alone.
 */
import { SAMPLE_SESSION } from '../../domain/catalogue/chat-input';
import { chat, chatWithAgent } from '../../contract/chat';
import { createTask } from '../../contract/a2a';
import { createChatCompletion } from '../../contract/completions';
import { invokeAgent } from '../../contract/invocations';
import type { BodyOf } from '../../contract/operation';
import { quoteAgent } from '../../contract/quotes';
import { isRecord } from '../../domain/json-value';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import type { PreparedInput } from '../../services/calls/agent/input-check';

/**
 * Prepares a JSON input. Blocks its thread in proportion to the input's size. `canonical` is its canonical form, where
 * the caller needs it too.
 */
export function prepareInput(input: unknown, canonical = canonicalJson(input)): PreparedInput {
  const body = Buffer.from(JSON.stringify(input));
  return { body, contentType: 'application/json', sha256: sha256Hex(canonical) };
}

/** Prepares a body that is passed on unchanged. */
export function prepareVerbatim(body: Buffer, contentType: string): PreparedInput {
  return { body, contentType, sha256: sha256Hex(body) };
}

/** Messages as JSON, in the form that is sent and in the form that is hashed. */
export interface PreparedMessages {
  json: string;
  canonical: string;
}

export function prepareInvocation({ input, ...rest }: BodyOf<typeof invokeAgent>) {
  const canonical = canonicalJson(input);
  const canonicalInput = rest.mandate?.proof === undefined ? '' : canonical;
  return { ...rest, input: prepareInput(input, canonical), canonicalInput };
}

export const prepareQuote = ({ input }: BodyOf<typeof quoteAgent>) => ({ input: prepareInput(input) });

export function prepareTask({ input, ...rest }: BodyOf<typeof createTask>) {
  const canonical = canonicalJson(input);
  const canonicalInput = rest.mandate.proof === undefined ? '' : canonical;
  return { ...rest, input: prepareInput(input, canonical), canonicalInput };
}

export function prepareChat<T extends { messages: unknown }>(body: T) {
  const messages: PreparedMessages = {
    json: JSON.stringify(body.messages),
    canonical: canonicalJson(body.messages),
  };
  return { ...body, messages };
}

/** What a thread does with the body of a call. */
export interface CallBody {
  /** Prepares the validated body. */
  prepare: (body: never) => unknown;
  /** The input of the agent in a body that was refused; undefined if that part is wrong as well. */
  inputOf: (body: Record<string, unknown>) => Record<string, unknown> | undefined;
}

/** By id of operation. Other operations get the body itself. */
export const PREPARES: ReadonlyMap<string, CallBody> = new Map<string, CallBody>([
  [invokeAgent.id, { prepare: prepareInvocation, inputOf: inputField }],
  [quoteAgent.id, { prepare: prepareQuote, inputOf: inputField }],
  [createTask.id, { prepare: prepareTask, inputOf: inputField }],
  [chatWithAgent.id, { prepare: prepareChat, inputOf: turnOf }],
  [chat.id, { prepare: prepareChat, inputOf: turnOf }],
  [createChatCompletion.id, { prepare: prepareChat, inputOf: turnOf }],
]);

function inputField({ input }: Record<string, unknown>) {
  return isRecord(input) ? input : undefined;
}

/** The input of a turn, with a session of the form that the service gives to agents. */
function turnOf({ messages }: Record<string, unknown>) {
  if (!Array.isArray(messages) || !messages.every(isRecord)) return undefined;
  return { messages, session_id: SAMPLE_SESSION };
}

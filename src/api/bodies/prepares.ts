/**
 * Converts validated bodies into what handlers need: the bytes of the input, its hash, its canonical form. These functions
 * run in a thread for large bodies (`body-worker.ts`), so they depend on the body alone.
 */
import { chat, chatWithAgent } from '../../contract/chat';
import { createTask } from '../../contract/a2a';
import { invokeAgent } from '../../contract/invocations';
import type { BodyOf } from '../../contract/operation';
import { canonicalJson } from '../../kit/json/canonical-json';
import { prepareInput } from '../../services/calls/prepared-input';

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

/** By id of operation: how the thread prepares its body. Other operations get the body itself. */
export const PREPARES: ReadonlyMap<string, (body: never) => unknown> = new Map<
  string,
  (body: never) => unknown
>([
  [invokeAgent.id, prepareInvocation],
  [createTask.id, prepareTask],
  [chatWithAgent.id, prepareChat],
  [chat.id, prepareChat],
]);

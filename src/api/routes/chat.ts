import type { Request, Response } from 'express';
import { chat, chatWithAgent } from '../../contract/chat';
import type { BodyOf } from '../../contract/operation';
import type { CompletedCall, InvokeEngine } from '../../engine/invoke';
import { textOfOutput } from '../../kit/streams/agent-stream';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import type { ChatSessions } from '../../services/calls/chat-sessions';
import type { PreparedInput } from '../../services/calls/invocations';
import { type MandateUse, payerOf } from '../../services/mandates/mandate-use';
import type { Mandates } from '../../services/mandates/mandates';
import { errorBody, toMarketError, type FaultDeps } from '../answers/errors';
import { idempotencyKeyOf } from '../requests/idempotency-key';
import { withBodyPaths } from '../requests/input-paths';
import { reportDelivery } from '../answers/delivery';
import type { Principal } from '../identity/principal';
import { HANDLED, type RouteBinder } from '../binding/route';
import { openEventStream, type EventStream } from '../answers/sse';

export interface ChatRouteDeps extends FaultDeps {
  engine: InvokeEngine;
  chatSessions: ChatSessions;
  mandates: Mandates;
}

/** One event carries at most so many characters, so that a slow reader never has a large one in memory. */
const MAX_EVENT_TEXT = 32 * 1024;

/** The messages as JSON, as they are sent and as they are hashed. */
interface PreparedMessages {
  json: string;
  canonical: string;
}

interface Turn {
  agentId: string;
  principal: Principal;
  traceId: string;
  hops: number;
  body: Omit<BodyOf<typeof chatWithAgent>, 'messages'> & { messages: PreparedMessages };
  req: Request;
  res: Response;
}

/** POST /v1/agents/{agent_id}/chat and POST /chat/. */
export function chatRoutes(binder: RouteBinder, deps: ChatRouteDeps): void {
  const prepare = <T extends { messages: unknown }>(body: T) => ({
    ...body,
    messages: prepareMessages(body.messages),
  });
  binder.bindPrepared(chatWithAgent, prepare, async ({ params, principal, ...rest }) => {
    await runTurn(deps, { ...rest, principal, agentId: params.agent_id });
    return HANDLED;
  });
  binder.bindPrepared(chat, prepare, async ({ principal, body, ...rest }) => {
    await runTurn(deps, { ...rest, principal, body, agentId: body.agent_id });
    return HANDLED;
  });
}

/** Throws what refuses the turn before its stream has begun; afterwards everything ends in one last event. */
async function runTurn(deps: ChatRouteDeps, turn: Turn): Promise<void> {
  const { agentId, principal, traceId, hops, body } = turn;
  const idempotencyKey = idempotencyKeyOf(turn.req, body.idempotency_key);
  const mandate = await mandateOf(deps, turn, idempotencyKey);
  // A session belongs to who talks, whoever pays.
  const names = { buyerUserId: principal.userId, agentId, sessionId: body.session_id, idempotencyKey };
  const session = deps.chatSessions.of(names);
  const stream = openEventStream(turn.res);
  let streamed = false;
  const write = (chunk: string) => {
    streamed = true;
    return sendText(stream, chunk);
  };
  try {
    const call = await deps.engine.invoke(
      {
        ...payerOf(principal, mandate),
        agentId,
        surface: 'chat',
        input: inputOf(body.messages, session.agentSessionId),
        maxCostCredits: body.max_cost_credits ?? null,
        idempotencyKey: idempotencyKey === undefined ? null : `k:${idempotencyKey}`,
        traceId,
        hops,
        sink: { write, closed: stream.closed },
      },
      (how) => stream.begin(how === 'replayed' ? { 'Idempotent-Replayed': 'true' } : {}),
    );
    reportDelivery(turn.res, call);
    if (!streamed && call.output) await sendText(stream, textOfOutput(call.output));
    finish(stream, call, session.sessionId);
  } catch (error) {
    const known = withBodyPaths(toMarketError(error, deps, traceId));
    if (!stream.begun) throw known;
    stream.end({ type: 'error', ...errorBody(known, traceId) });
  }
}

/** The mandate of a turn; its proof is over `{messages, session_id?}` as the client sent them. */
async function mandateOf(
  { mandates }: ChatRouteDeps,
  { body, agentId, principal }: Turn,
  idempotencyKey: string | undefined,
): Promise<MandateUse | undefined> {
  if (!body.mandate) return undefined;
  const { messages, session_id } = body;
  const session = session_id === undefined ? '' : `,"session_id":${JSON.stringify(session_id)}`;
  return mandates.admit({
    mandate: body.mandate,
    agentId,
    callerUserId: principal.userId,
    idempotencyKey: idempotencyKey ?? null,
    canonicalInput: () => `{"messages":${messages.canonical}${session}}`,
  });
}

function finish(stream: EventStream, call: CompletedCall, sessionId: string): void {
  const usage = {
    tokens_in: call.usage.tokensIn,
    tokens_out: call.usage.tokensOut,
    duration_ms: call.usage.durationMs,
    credits_charged: call.usage.chargedCredits,
  };
  void stream.send({ type: 'usage', usage });
  stream.end({
    type: 'done',
    invocation_id: call.invocationId,
    trace_id: call.traceId,
    usage,
    session_id: sessionId,
    ...(call.output === null && { output_expired: true }),
  });
}

/** A long piece goes out in several events; a character of two code units is never cut in two. */
async function sendText(stream: EventStream, text: string): Promise<void> {
  for (let at = 0; at < text.length;) {
    const wanted = at + MAX_EVENT_TEXT;
    const isCutInPair = wanted < text.length && /[\uD800-\uDBFF]/.test(text.charAt(wanted - 1));
    const end = isCutInPair ? wanted - 1 : wanted;
    await stream.send({ type: 'output_chunk', chunk: text.slice(at, end) });
    if (stream.closed.aborted) return;
    at = end;
  }
}

/** Blocks for as long as the messages are large; keep nothing of them afterwards. */
function prepareMessages(messages: unknown): PreparedMessages {
  return { json: JSON.stringify(messages), canonical: canonicalJson(messages) };
}

/** `{messages, session_id}`, in the order of RFC 8785 already. */
function inputOf({ json, canonical }: PreparedMessages, sessionId: string): PreparedInput {
  const wrap = (messages: string) => `{"messages":${messages},"session_id":${JSON.stringify(sessionId)}}`;
  const body = Buffer.from(wrap(json));
  return { body, contentType: 'application/json', sha256: sha256Hex(wrap(canonical)) };
}

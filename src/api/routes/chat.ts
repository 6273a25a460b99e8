import { admittedCallOf } from '../../services/calls/invocations';
import type { Request, Response } from 'express';
import { chat, chatWithAgent } from '../../contract/chat';
import type { BodyOf } from '../../contract/operation';
import { MarketError, type FieldProblem } from '../../domain/errors';
import type { CompletedCall, InvokeEngine } from '../../engine/invoke';
import { sha256Hex } from '../../kit/json/canonical-json';
import type { ChunkSink } from '../../services/calls/agent/delivery';
import type { CallGate } from '../../services/calls/call-gate';
import type { InputCheck, PreparedInput } from '../../services/calls/agent/input-check';
import type { ChatSessions } from '../../services/calls/chat-sessions';
import { chats } from '../../domain/catalogue/chat-input';
import type { ServingVersions } from '../../services/catalogue/serving-version-cache';
import type { Mandates } from '../../services/mandates/mandates';
import { errorBody, toMarketError, type FaultDeps } from '../answers/errors';
import { onAnswer, type PerformFor } from '../bodies/large-answers';
import { prepareChat, type PreparedMessages } from '../bodies/prepares';
import { agentGate, inputProblemsOf } from '../requests/call-gates';
import { idempotencyKeyOf, inBody, readEvery, withBodyPaths } from '../requests/request-fields';
import { reportDelivery } from '../answers/answer-call';
import { REPLAYED_HEADERS } from '../answers/replayed';
import type { Principal } from '../identity/principal';
import { usageView } from '../views/calls';
import { HANDLED } from '../answers/answer';
import type { RouteBinder } from '../binding/route';
import { startEventStream, type EventStream } from '../answers/sse';

export interface ChatRouteDeps extends FaultDeps {
  engine: InvokeEngine;
  callGate: CallGate;
  inputCheck: InputCheck;
  chatSessions: ChatSessions;
  mandates: Mandates;
  servingVersions: Pick<ServingVersions, 'ofAgent'>;
}

/** Maximum characters per event, so that no large event is buffered for a slow reader. */
const MAX_EVENT_TEXT = 32 * 1024;

interface Turn {
  agentId: string;
  principal: Principal;
  traceId: string;
  hops: number;
  body: Omit<BodyOf<typeof chatWithAgent>, 'messages'> & { messages: PreparedMessages };
  perform: PerformFor<{ text: string }>;
  req: Request;
  res: Response;
}

/** POST /v1/agents/{agent_id}/chat and POST /chat/. */
export function chatRoutes(binder: RouteBinder, deps: ChatRouteDeps): void {
  const inputProblems = problemsOfTurn(deps.inputCheck);
  const first = {
    prepare: prepareChat<BodyOf<typeof chatWithAgent>>,
    gate: agentGate(deps.callGate),
    inputProblems,
  };
  binder.bindPrepared(chatWithAgent, first, async ({ params, principal, ...rest }) => {
    await runTurn(deps, { ...rest, principal, agentId: params.agent_id });
    return HANDLED;
  });
  binder.bindPrepared(
    chat,
    { prepare: prepareChat<BodyOf<typeof chat>>, inputProblems },
    async ({ principal, body, ...rest }) => {
      await runTurn(deps, { ...rest, principal, body, agentId: body.agent_id });
      return HANDLED;
    },
  );
}

/** What the agent refuses in a turn, of the fields that its caller wrote. */
function problemsOfTurn(inputCheck: InputCheck) {
  const problemsOf = inputProblemsOf(inputCheck);
  return async (refused: Parameters<typeof problemsOf>[0]): Promise<FieldProblem[]> =>
    (await problemsOf(refused)).map(inBody).filter(isOfMessages);
}

/** False for `messages` as a member that the agent does not have: its refusal says that the agent does not chat. */
function isOfMessages({ loc, type }: FieldProblem): boolean {
  return loc[1] === 'messages' && (loc.length > 2 || !/Properties$/.test(type));
}

/** Runs a turn. Throws errors that occur before the stream begins; later errors are sent as the last event. */
async function runTurn(deps: ChatRouteDeps, turn: Turn): Promise<void> {
  const { agentId, principal, traceId, hops, body } = turn;
  const { session_id: sessionId, messages } = body;
  const refused = { params: {}, principal, agentId, input: inputOf(messages, '').body };
  const { idempotencyKey } = await readEvery(
    { idempotencyKey: () => idempotencyKeyOf(turn.req, body.idempotency_key) },
    () => problemsOfTurn(deps.inputCheck)(refused),
  );
  // A session belongs to the caller, even when the issuer of a mandate pays.
  const names = { buyerUserId: principal.userId, agentId, sessionId, idempotencyKey };
  const session = deps.chatSessions.of(names);
  const request = await admittedCallOf(deps.mandates, {
    principal,
    agentId,
    surface: 'chat',
    input: inputOf(messages, session.agentSessionId),
    canonicalInput: () => canonicalOf(messages, sessionId),
    maxCostCredits: body.max_cost_credits ?? null,
    idempotencyKey,
    mandate: body.mandate,
    traceId,
    hops,
  });
  const stream = startEventStream(turn.res);
  let handed = 0;
  const sink: ChunkSink = {
    write: (chunk) => sendText(stream, chunk, (length) => (handed += length)),
    handed: () => handed,
    closed: stream.closed,
  };
  try {
    const call = await deps.engine.invoke({ ...request, sink }, (how) =>
      stream.begin(how === 'replayed' ? REPLAYED_HEADERS : {}),
    );
    reportDelivery(turn.res, call);
    if (handed === 0 && call.output) {
      const { text } = await onAnswer(turn.perform, { kind: 'text' }, call.output);
      await sendText(stream, text);
    }
    sendEnd(stream, call, session.sessionId);
  } catch (error) {
    const known = withBodyPaths(await aboutChat(deps, turn, toMarketError(error, deps, traceId)));
    if (!stream.begun) throw known;
    stream.end({ type: 'error', ...errorBody(known, traceId) });
  }
}

/** A refused input of an agent that does not chat: the error says so, because the caller did not write that input. */
async function aboutChat(
  { servingVersions }: ChatRouteDeps,
  { agentId, principal }: Turn,
  error: MarketError,
): Promise<MarketError> {
  if (error.code !== 'input_schema_mismatch') return error;
  const version = await servingVersions.ofAgent(agentId, principal.userId).catch(() => undefined);
  if (!version || (version.kind !== 'mcp' && chats(version.inputSchema))) return error;
  const message = `This agent does not chat: its input has no messages. Call it with POST /v1/agents/${agentId}/invoke; GET /v1/listings/${agentId} has its input schema.`;
  return new MarketError(error.code, { message, detail: error.detail, invocationId: error.invocationId });
}

function sendEnd(stream: EventStream, call: CompletedCall, sessionId: string): void {
  const usage = usageView(call.usage);
  void stream.send({ type: 'usage', usage });
  stream.end({
    type: 'done',
    invocation_id: call.invocationId,
    trace_id: call.traceId,
    usage,
    session_id: sessionId,
    ...(call.output === null && { output_expired: true }),
    ...(call.truncatedBy && { truncated: true }),
  });
}

/**
 * Sends a long piece in several events, until the client leaves. A surrogate pair is never split. Calls `onHanded` with
 * the length of each part once it was written to the client's socket.
 */
async function sendText(
  stream: EventStream,
  text: string,
  onHanded: (length: number) => void = () => {},
): Promise<void> {
  for (let at = 0; at < text.length;) {
    const wanted = at + MAX_EVENT_TEXT;
    const isCutInPair = wanted < text.length && /[\uD800-\uDBFF]/.test(text.charAt(wanted - 1));
    const end = isCutInPair ? wanted - 1 : wanted;
    if (stream.closed.aborted) return;
    const taken = stream.send({ type: 'output_chunk', chunk: text.slice(at, end) });
    onHanded(end - at);
    await taken;
    at = end;
  }
}

/** `{messages, session_id?}` as the client sent them, in the order of RFC 8785: what the proof of a mandate covers. */
function canonicalOf({ canonical }: PreparedMessages, sessionId: string | undefined): string {
  const session = sessionId === undefined ? '' : `,"session_id":${JSON.stringify(sessionId)}`;
  return `{"messages":${canonical}${session}}`;
}

/** The input `{messages, session_id}`, with its members in the order of RFC 8785. */
function inputOf({ json, canonical }: PreparedMessages, sessionId: string): PreparedInput {
  const wrap = (messages: string) => `{"messages":${messages},"session_id":${JSON.stringify(sessionId)}}`;
  const body = Buffer.from(wrap(json));
  return { body, contentType: 'application/json', sha256: sha256Hex(wrap(canonical)) };
}

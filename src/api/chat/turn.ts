/**
 * A turn of a chat, the same for every form in which it is answered (contract, "Chat"): admitted, called, and delivered
 * piece by piece, or as a whole when it is paid.
 */
import type { Request, Response } from 'express';
import type { Static } from '@sinclair/typebox';
import type { ChatTurnFields } from '../../contract/chat';
import { chats } from '../../domain/catalogue/chat-input';
import { type FieldProblem, MarketError } from '../../domain/errors';
import type { CompletedCall, InvokeEngine } from '../../engine/invoke';
import { sha256Hex } from '../../kit/json/canonical-json';
import type { ChunkSink } from '../../services/calls/agent/delivery';
import type { InputCheck, PreparedInput } from '../../services/calls/agent/input-check';
import type { ChatSessions } from '../../services/calls/chat-sessions';
import { admittedCallOf } from '../../services/calls/invocations';
import type { ServingVersions } from '../../services/catalogue/serving-version-cache';
import type { Mandates } from '../../services/mandates/mandates';
import { reportDelivery } from '../answers/answer-call';
import { type FaultDeps, toMarketError } from '../answers/errors';
import { REPLAYED_HEADERS } from '../answers/replayed';
import { onAnswer, type PerformFor } from '../bodies/large-answers';
import type { PreparedMessages } from '../bodies/prepares';
import type { Principal } from '../identity/principal';
import { inputProblemsOf } from '../requests/call-gates';
import {
  acceptOf,
  idempotencyKeyOf,
  inBody,
  maxCostOf,
  metadataOf,
  quoteInBody,
  quoteOf,
  readEvery,
  withBodyPaths,
} from '../requests/request-fields';

export interface TurnDeps extends FaultDeps {
  engine: InvokeEngine;
  inputCheck: InputCheck;
  chatSessions: ChatSessions;
  mandates: Mandates;
  servingVersions: Pick<ServingVersions, 'ofAgent'>;
}

export interface Turn {
  agentId: string;
  principal: Principal;
  traceId: string;
  hops: number;
  body: Omit<Static<typeof ChatTurnFields>, 'messages'> & { messages: PreparedMessages };
  perform: PerformFor<{ text: string }>;
  req: Request;
  res: Response;
}

/** How a turn is answered. Errors before the answer has begun are thrown by the turn. */
export interface TurnForm {
  /** Aborts when the client has disconnected, or the answer has ended. */
  readonly closed: AbortSignal;
  readonly begun: boolean;
  /** True if pieces are delivered while the agent still speaks; else they follow once the call is paid. */
  readonly streams: boolean;
  /** The call was accepted: what is sent at once, with these headers. */
  begin(headers: Record<string, string>): void;
  /** Sends at most `MAX_PIECE` characters. Resolves when the client can take more. */
  piece(text: string): Promise<void>;
  /** The last of the answer. */
  end(call: CompletedCall, sessionId: string): void;
  /** An error after the answer has begun. */
  fail(error: MarketError): void;
}

/** Maximum characters of a piece, so that no large one is buffered for a slow reader. */
const MAX_PIECE = 32 * 1024;

/** Runs a turn. Throws errors that occur before its answer begins; later errors end the answer. */
export async function runTurn(deps: TurnDeps, turn: Turn, form: TurnForm): Promise<void> {
  const { agentId, principal, body, traceId } = turn;
  const { idempotencyKey, maxCostCredits, metadata, accept, quote } = await readOptions(deps, turn);
  // A session belongs to the caller, even when the issuer of a mandate pays.
  const names = { buyerUserId: principal.userId, agentId, sessionId: body.session_id, idempotencyKey };
  const session = deps.chatSessions.of(names);
  const request = await admittedCallOf(deps.mandates, {
    principal,
    agentId,
    surface: 'chat',
    input: inputOf(body.messages, session.agentSessionId),
    canonicalInput: () => canonicalOf(body.messages, body.session_id),
    maxCostCredits,
    idempotencyKey,
    metadata,
    accept,
    quote: quote && { ...quote, inputSha256: sha256Hex(canonicalOf(body.messages, body.session_id)) },
    mandate: body.mandate,
    traceId,
    hops: turn.hops,
  });
  let handed = 0;
  const sink: ChunkSink = {
    write: (chunk) => sendText(form, chunk, (length) => (handed += length)),
    handed: () => handed,
    closed: form.closed,
  };
  try {
    const call = await deps.engine.invoke(form.streams ? { ...request, sink } : request, (how) =>
      form.begin(how === 'replayed' ? REPLAYED_HEADERS : {}),
    );
    reportDelivery(turn.res, call);
    if (handed === 0 && call.output) {
      const { text } = await onAnswer(turn.perform, { kind: 'text' }, call.output);
      await sendText(form, text);
    }
    form.end(call, session.sessionId);
  } catch (error) {
    const known = withBodyPaths(await aboutChat(deps, turn, toMarketError(error, deps, traceId)));
    if (!form.begun) throw known;
    form.fail(known);
  }
}

/** The key, the ceiling, the metadata, the tests and the quote of a turn. The refusal names every wrong field. */
function readOptions(deps: TurnDeps, { req, body, principal, agentId }: Turn) {
  return readEvery(
    {
      idempotencyKey: () => idempotencyKeyOf(req, body.idempotency_key),
      maxCostCredits: () => maxCostOf(req, body.max_cost_credits),
      metadata: () => metadataOf(req, body.metadata),
      accept: () => acceptOf(req, body.accept, ['body', 'accept']),
      quote: () => quoteOf(req, quoteInBody(body.quote_id)),
    },
    () =>
      problemsOfTurn(deps.inputCheck)({
        params: {},
        principal,
        agentId,
        input: inputOf(body.messages, '').body,
      }),
  );
}

/** What the agent refuses in a turn, of the fields that its caller wrote. */
export function problemsOfTurn(inputCheck: InputCheck) {
  const problemsOf = inputProblemsOf(inputCheck);
  return async (refused: Parameters<typeof problemsOf>[0]): Promise<FieldProblem[]> =>
    (await problemsOf(refused)).map(inBody).filter(isOfMessages);
}

/** False for `messages` as a member that the agent does not have: its refusal says that the agent does not chat. */
function isOfMessages({ loc, type }: FieldProblem): boolean {
  return loc[1] === 'messages' && (loc.length > 2 || !/Properties$/.test(type));
}

/** A refused input of an agent that does not chat: the error says so, because the caller did not write that input. */
async function aboutChat(
  { servingVersions }: TurnDeps,
  { agentId, principal }: Turn,
  error: MarketError,
): Promise<MarketError> {
  if (error.code !== 'input_schema_mismatch') return error;
  const version = await servingVersions.ofAgent(agentId, principal.userId).catch(() => undefined);
  if (!version || (version.kind !== 'mcp' && chats(version.inputSchema))) return error;
  const message = `This agent does not chat: its input has no messages. Call it with POST /v1/agents/${agentId}/invoke; GET /v1/listings/${agentId} has its input schema.`;
  return new MarketError(error.code, { message, detail: error.detail, invocationId: error.invocationId });
}

/**
 * Sends a text in pieces, until the client leaves. A surrogate pair is never split. Calls `onHanded` with the length of
 * each piece once it was written to the client's socket.
 */
async function sendText(
  form: TurnForm,
  text: string,
  onHanded: (length: number) => void = () => {},
): Promise<void> {
  for (let at = 0; at < text.length;) {
    const wanted = at + MAX_PIECE;
    const isCutInPair = wanted < text.length && /[\uD800-\uDBFF]/.test(text.charAt(wanted - 1));
    const end = isCutInPair ? wanted - 1 : wanted;
    if (form.closed.aborted) return;
    const taken = form.piece(text.slice(at, end));
    onHanded(end - at);
    await taken;
    at = end;
  }
}

/**
 * `{messages, session_id?}` as the client sent them, in the order of RFC 8785: what a quote and the proof of a mandate
 * cover.
 */
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

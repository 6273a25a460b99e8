/** Sends what an MCP server says of a running tool call on the stream of its client (ADR 0327). */
import { asRecord } from '../../domain/json-value';
import { BoundedMap } from '../../kit/bounded-map';
import { LOG_LEVELS, type Round, type ToolCaller } from '../../services/mcp/caller';
import type { McpExchange, McpRequest } from './wire/mcp-request';
import { PROTOCOL_META } from './wire/protocol';
import { notification, type Piece, serverRequest } from './wire/reply';
import { asksOnStream } from './tasks/questions';
import { FORM_ID_PATTERN, formAnswerOf, type LiveForms } from '../../services/mcp/live-forms';
import { logLevelOf } from './wire/session';

/** A client that reads slowly misses notifications beyond so many. */
const MOST_WAITING = 256;

export interface NoticeDeps {
  liveForms: LiveForms;
  logLevels: LogLevels;
}

/** The levels that clients of this process have set for their sessions. */
type LogLevels = BoundedMap<string, string>;

const MOST_LEVELS = 10_000;
export const createLogLevels = (): LogLevels => new BoundedMap(MOST_LEVELS);

export const levelKey = ({ principal, req }: McpExchange): string =>
  `${principal.userId} ${req.get('mcp-session-id') ?? ''}`;

export interface ToldCaller extends ToolCaller {
  /** Resolves when the client has everything that was sent to it so far, or has disconnected. */
  sent(): Promise<void>;
}

/** What the client of a tool call takes; undefined if the tool is not one of an MCP server. */
export function toldCaller(
  { liveForms, logLevels }: NoticeDeps,
  request: McpRequest,
  round: Round | null,
): ToldCaller | undefined {
  const { era, version, client, message, principal, reply, req } = request;
  if (version.kind !== 'mcp') return undefined;
  const { progressToken } = client;
  const wanted =
    era === 'modern'
      ? asRecord(message.params._meta)[PROTOCOL_META.logLevel]
      : (logLevelOf(req.get('mcp-session-id')) ?? logLevels.get(levelKey(request)));
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  const send = (pieces: Piece[]) => {
    waiting += 1;
    last = last.then(() => reply.send(pieces)).finally(() => (waiting -= 1));
  };
  const ask: ToolCaller['ask'] = (form) =>
    liveForms.ask(
      principal.userId,
      (formId) => send(serverRequest(formId, 'elicitation/create', form)),
      reply.gone,
    );
  return {
    wantsProgress: progressToken !== undefined && reply.streams,
    logLevel: reply.streams && LOG_LEVELS.includes(String(wanted)) ? String(wanted) : null,
    elicits: era === 'modern' && client.elicits,
    round,
    notify(method, params) {
      if (reply.gone.aborted || waiting >= MOST_WAITING) return;
      const whole = method === 'notifications/progress' ? { progressToken, ...params } : params;
      send(notification(method, [JSON.stringify(whole)]));
    },
    ...(asksOnStream(request) && { ask }),
    sent: () => last,
  };
}

/** The client of a paid call, which may be a modern one that a legacy server asks (ADR 0284). */
export interface PayingCaller extends ToldCaller {
  /** Says which call it is, and when that ends; null if the client cannot read it. */
  begun?: (call: { invocationId: string; ended: AbortSignal } | null) => void;
}

/** What the client of a paid call takes. */
export function payingCaller(
  deps: NoticeDeps,
  request: McpRequest,
  round: Round | null,
): PayingCaller | undefined {
  const told = toldCaller(deps, request, round);
  if (!told?.elicits) return told;
  const { userId } = request.principal;
  type Call = Parameters<NonNullable<PayingCaller['begun']>>[0];
  let begun: (call: Call) => void = () => undefined;
  const known = new Promise<Call>((resolve) => (begun = resolve));
  const askLater: ToolCaller['askLater'] = async (form) => {
    const call = await known;
    if (!call) return { action: 'cancel' };
    return deps.liveForms.hold(userId, { invocationId: call.invocationId, form }, call.ended);
  };
  return { ...told, askLater, begun };
}

/** What a legacy client sent back for a form of a running call. */
export interface FormResponse {
  formId: string;
  answer: Record<string, unknown>;
}

/** The answer to a form in a message; undefined if it is none. An error of the client cancels the form. */
export function formResponseOf(message: unknown): FormResponse | undefined {
  const { id, method, result } = asRecord(message);
  if (method !== undefined || typeof id !== 'string' || !FORM_ID_PATTERN.test(id)) return undefined;
  return { formId: id, answer: formAnswerOf(result) };
}

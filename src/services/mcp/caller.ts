/**
 * The client behind a tool call, while the call runs (ADR 0327): which messages of the server pass to it, and how the
 * requests of a server are answered that do not pass. What a server sends is untrusted.
 */
import { isRecord } from '../../domain/json-value';
import { formProblem, requestProblem } from '../../domain/jobs/passed-form';
import type { UnpassedRequest } from '../../domain/jobs/unpassed';
import { type JsonObject, MODERN_VERSION, type RpcRequest, type RpcResponse } from './protocol';

/** From the least to the most severe. */
export const LOG_LEVELS: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** Answers of a client to the requests of an earlier result, and the server's state of that result (2026-07-28). */
export interface Round {
  inputResponses?: JsonObject;
  requestState?: string;
}

/** What the client of a tool call takes besides its result. */
export interface ToolCaller {
  wantsProgress: boolean;
  /** The least level of log messages; null: none. */
  logLevel: string | null;
  /** It shows forms, and sends the call again with what they were filled with. */
  elicits: boolean;
  round: Round | null;
  /** Shows a form to the user while the call runs, and returns the answer. Set for legacy clients that show forms. */
  ask?: (form: JsonObject) => Promise<JsonObject>;
  /** The same for a modern client, which a legacy server alone asks while the call runs (ADR 0284). */
  askLater?: (form: JsonObject) => Promise<JsonObject>;
  /** Called with each message that passes. Progress has no token yet. */
  notify(method: string, params: JsonObject): void;
}

/** A server that asks more than this in one call is not answered. */
const MOST_REQUESTS = 64;

/** Why a request of a server does not pass to the client. */
const NOT_PASSED: Readonly<Record<string, string | undefined>> = {
  'sampling/createMessage':
    'The marketplace passes no sampling on: the models of its buyers are not for servers. Use a model of the server.',
  'roots/list': 'The marketplace passes no roots on: buyers show it no folders.',
  'elicitation/create':
    'The client of this call shows no forms while it runs. It needs the capability elicitation.',
};

/** Requests during which a server may ask the user of the client. */
const ASKING: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/**
 * Returns the function that takes the messages of a server in the stream of a request. `respond` sends the answer to a
 * request of the server; one that does not pass is answered with the reason, whatever the stream is about, because a
 * server may wait for the answer. `unpassed`: what was asked for, if it passes to no client.
 */
export function reactTo(
  request: RpcRequest,
  caller: ToolCaller | undefined,
  respond: (response: RpcResponse, unpassed?: UnpassedRequest) => void,
): (message: JsonObject) => void {
  let answered = 0;
  return ({ id, method, params }) => {
    const given = isRecord(params) ? params : {};
    if (id === undefined) {
      if (caller && request.method === 'tools/call') pass(request, caller, String(method), given);
      return;
    }
    answered += 1;
    // Servers of 2026-07-28 must not send requests, and take no responses.
    if (answered > MOST_REQUESTS || isModern(request) || !isId(id)) return;
    const ask = caller?.ask ?? caller?.askLater;
    if (method === 'elicitation/create' && ask && ASKING.has(request.method)) {
      const unpassed = formProblem(given)?.kind;
      void askUser(ask, given).then((answer) => respond({ jsonrpc: '2.0', id, ...answer }, unpassed));
      return;
    }
    const unpassed = method === 'ping' ? undefined : requestProblem({ method, params })?.kind;
    respond({ jsonrpc: '2.0', id, ...answerTo(String(method)) }, unpassed);
  };
}

async function askUser(
  ask: NonNullable<ToolCaller['ask']>,
  form: JsonObject,
): Promise<Pick<RpcResponse, 'result' | 'error'>> {
  const problem = formProblem(form);
  if (problem !== undefined) return { error: { code: -32602, message: problem.words } };
  return { result: await ask(form).catch(() => ({ action: 'cancel' })) };
}

const isId = (id: unknown) => typeof id === 'number' || (typeof id === 'string' && id.length <= 1_024);

const isModern = ({ params }: RpcRequest): boolean =>
  isRecord(params['_meta']) && params['_meta']['io.modelcontextprotocol/protocolVersion'] === MODERN_VERSION;

function answerTo(method: string): Pick<RpcResponse, 'result' | 'error'> {
  if (method === 'ping') return { result: {} };
  const message = NOT_PASSED[method] ?? `The marketplace passes no ${method.slice(0, 100)} on.`;
  return { error: { code: -32601, message } };
}

function pass(request: RpcRequest, caller: ToolCaller, method: string, params: JsonObject): void {
  if (method === 'notifications/progress') {
    const { progressToken, progress, total, ...rest } = params;
    const isOurs = caller.wantsProgress && progressToken === request.id && isAmount(progress);
    if (isOurs) caller.notify(method, { progress, ...(isAmount(total) && { total }), ...rest });
  }
  if (method === 'notifications/message' && isWanted(caller.logLevel, params['level']))
    caller.notify(method, params);
}

const isAmount = (value: unknown) => typeof value === 'number' && Number.isFinite(value);

function isWanted(least: string | null, level: unknown): boolean {
  return least !== null && LOG_LEVELS.indexOf(String(level)) >= LOG_LEVELS.indexOf(least);
}

/**
 * Exchanges one message with an MCP server. The answer is JSON or a stream of events. A stream that ends without the
 * answer is resumed by its last event id, or is a failure (`event-stream.ts`).
 */
import { MarketError } from '../../domain/errors';
import type { Egress } from '../../egress/agent-call';
import { collect, type EgressStream } from '../../egress/answer';
import { reactTo } from './caller';
import { isEvents, mediaType, replyInEvents } from './event-stream';
import {
  agentFailure,
  replyIn,
  type RpcNotification,
  type RpcReply,
  type RpcRequest,
  type RpcResponse,
} from './protocol';
import type { McpLimits, McpTarget } from './target';

const MAX_REFUSAL_BYTES = 64 * 1024;
/** Largest response of all methods but those of a tool's result. */
const MAX_OTHER_BYTES = 4 * 1024 * 1024;
const TOOL_CALL = 'tools/call';
/** What the responses of these methods are about, which may be as large as a result. */
const ABOUT_TOOLS: ReadonlyMap<string, 'result' | 'task'> = new Map([
  [TOOL_CALL, 'result'],
  ['tasks/result', 'result'],
  ['tasks/get', 'task'],
]);
const SESSION_ID = /^[\x21-\x7e]{1,1024}$/;

/** Sends a request and returns the reply. Throws `EgressError`, or `agent_error` for an invalid answer. */
export async function ask(
  egress: Egress,
  target: McpTarget,
  limits: McpLimits,
  request: RpcRequest,
  headers: Readonly<Record<string, string>>,
): Promise<RpcReply> {
  const stream = await send(egress, target, limits, request, headers);
  try {
    const head = { status: stream.status, sessionId: sessionIdOf(stream) };
    if (stream.status === 200 && isEvents(stream))
      return await replyInEvents(stream, {
        ...{ egress, target, limits, request, headers },
        replyIn: (message) => messageIn(message, target, request, head),
        hear: reactTo(request, target.caller, (response, unpassed) => {
          if (unpassed) target.onUnpassed?.(unpassed);
          if (target.unpassed && response.error) target.unpassed.reason = response.error.message;
          // Fire and forget: a server that does not take the answer waits for it until its own timeout.
          void send(egress, target, limits, response, headers).then(
            (sent) => sent.close(),
            () => undefined,
          );
        }),
      });
    const body = await collect(stream.status === 200 ? stream.body : firstBytes(stream.body));
    const isMessage = stream.status === 200 || isJson(stream);
    const reply = isMessage ? await readReply(body, target, request, head) : undefined;
    if (reply?.kind === 'result' && stream.status !== 200) throw agentFailure(`a result with ${head.status}`);
    if (reply) return reply;
    if (stream.status === 200) throw agentFailure('the answer belongs to another request');
    return { kind: 'refused', status: head.status, code: null, data: undefined };
  } finally {
    stream.close();
  }
}

/** Sends a notification. Throws `agent_error` if the server refuses it. */
export async function tell(
  egress: Egress,
  target: McpTarget,
  limits: McpLimits,
  notification: RpcNotification,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const stream = await send(egress, target, limits, notification, headers);
  try {
    if (stream.status < 200 || stream.status > 299) throw agentFailure(`refused with ${stream.status}`);
    if (stream.status === 202) await collect(firstBytes(stream.body));
  } finally {
    stream.close();
  }
}

async function send(
  egress: Egress,
  target: McpTarget,
  limits: McpLimits,
  message: RpcRequest | RpcNotification | RpcResponse,
  headers: Readonly<Record<string, string>>,
): Promise<EgressStream> {
  const text = JSON.stringify(message);
  const body = target.held ? Buffer.concat(target.held.pieces(text)) : Buffer.from(text);
  const opening = egress.open({
    url: target.url,
    body,
    headers: {
      ...target.headers,
      ...target.sign?.(body, { method: methodOf(message) }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    signal: limits.signal,
    deadlineMs: limits.deadlineMs,
    maxResponseBytes: ABOUT_TOOLS.has(methodOf(message)) ? limits.maxResponseBytes : MAX_OTHER_BYTES,
    repeatable: methodOf(message) !== TOOL_CALL || target.idempotent,
  });
  const stream = await opening.catch((error: unknown) => {
    target.onFailure?.(error);
    throw error;
  });
  return target.wrap?.(stream) ?? stream;
}

interface Head {
  status: number;
  sessionId: string | null;
}

/** Responses to requests of the server have none. */
const methodOf = (message: object): string => ('method' in message ? String(message.method) : '');

async function readReply(body: Buffer, target: McpTarget, request: RpcRequest, head: Head) {
  try {
    return await messageIn(body, target, request, head);
  } catch (error) {
    if (head.status === 200 || !(error instanceof MarketError)) throw error;
    return undefined;
  }
}

/** Reads a message of the server; undefined if it is not the reply. */
async function messageIn(
  message: Buffer | string,
  target: McpTarget,
  { id, method }: RpcRequest,
  head: Head,
): Promise<RpcReply | undefined> {
  const about = head.status === 200 ? ABOUT_TOOLS.get(method) : undefined;
  if (!about) return replyIn(await target.read.message(message), id, head);
  const reply = await target.read.toolReply(message, id, about);
  if (reply?.kind === 'refused') return { data: undefined, ...reply, status: head.status };
  return reply && { kind: 'result', result: {}, tool: reply, sessionId: head.sessionId };
}

async function* firstBytes(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0;
  for await (const chunk of body) {
    yield chunk;
    bytes += chunk.length;
    if (bytes > MAX_REFUSAL_BYTES) return;
  }
}

function sessionIdOf(stream: EgressStream): string | null {
  const id = stream.header('mcp-session-id');
  if (id === undefined) return null;
  if (!SESSION_ID.test(id)) throw agentFailure('a session id that no header can contain');
  return id;
}

function isJson(stream: EgressStream): boolean {
  return mediaType(stream) === 'application/json';
}

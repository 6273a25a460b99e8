/**
 * Exchanges one message with an MCP server. The answer is JSON or a stream of events. A stream that ends without the
 * answer is a failure. Other events in it are ignored, within limits.
 */
import { MarketError } from '../../domain/errors';
import type { Egress, EgressStream } from '../../egress/agent-call';
import { collect } from '../../egress/answer-body';
import { decodedItems, splitEvents } from '../../kit/streams/event-splitter';
import { parseStrictJson, parseStrictJsonText } from '../../kit/json/strict-json';
import { agentFailure, replyIn, type RpcNotification, type RpcReply, type RpcRequest } from './protocol';

/** An MCP server. */
export interface McpTarget {
  url: string;
  /** Headers of every message, such as the upstream credential and the trace id. */
  headers: Readonly<Record<string, string>>;
  /** Returns further headers of one message, such as the signature of its body. */
  sign?: (body: Buffer, message: { method: string }) => Record<string, string>;
  /** Key for remembering the negotiated era: the version id of the agent. */
  cacheKey: string;
  /** Wraps every response before it is read, for example to mask the upstream credential. */
  wrap?: (stream: EgressStream) => EgressStream;
}

export interface McpLimits {
  /** Deadline of the whole operation, in ms since the epoch. */
  deadlineMs: number;
  /** Largest answer; for a list of tools, of all pages together. */
  maxResponseBytes: number;
  signal?: AbortSignal | undefined;
}

/** Maximum number of notifications and unrelated answers in a stream before ours. */
const MAX_FOREIGN_EVENTS = 10_000;
const MAX_REFUSAL_BYTES = 64 * 1024;
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
    if (stream.status === 200 && isEvents(stream)) return await replyInEvents(stream, request.id, head);
    const body = await collect(stream.status === 200 ? stream.body : firstBytes(stream.body));
    const reply = stream.status === 200 || isJson(stream) ? readReply(body, request.id, head) : undefined;
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
  message: RpcRequest | RpcNotification,
  headers: Readonly<Record<string, string>>,
): Promise<EgressStream> {
  const body = Buffer.from(JSON.stringify(message));
  const stream = await egress.open({
    url: target.url,
    body,
    headers: {
      ...target.headers,
      ...target.sign?.(body, message),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    signal: limits.signal,
    deadlineMs: limits.deadlineMs,
    maxResponseBytes: limits.maxResponseBytes,
  });
  return target.wrap?.(stream) ?? stream;
}

async function replyInEvents(
  stream: EgressStream,
  id: number,
  head: { status: number; sessionId: string | null },
): Promise<RpcReply> {
  const splitter = splitEvents(Number.MAX_SAFE_INTEGER, (name) => name === undefined || name === 'message');
  let foreign = 0;
  for await (const events of decodedItems(stream.body, splitter)) {
    for (const data of events) {
      const reply =
        data === ''
          ? undefined
          : replyIn(
              strict(() => parseStrictJsonText(data)),
              id,
              head,
            );
      if (reply) return reply;
      foreign += 1;
      if (foreign > MAX_FOREIGN_EVENTS) throw agentFailure('too many events before the answer');
    }
  }
  throw agentFailure('the stream ended before the answer');
}

function readReply(body: Buffer, id: number, head: { status: number; sessionId: string | null }) {
  try {
    return replyIn(
      strict(() => parseStrictJson(body)),
      id,
      head,
    );
  } catch (error) {
    if (head.status === 200 || !(error instanceof MarketError)) throw error;
    return undefined;
  }
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

function isEvents(stream: EgressStream): boolean {
  return mediaType(stream) === 'text/event-stream';
}

function isJson(stream: EgressStream): boolean {
  return mediaType(stream) === 'application/json';
}

function mediaType({ contentType }: EgressStream): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function strict(read: () => { value: unknown }): unknown {
  try {
    return read().value;
  } catch (cause) {
    throw agentFailure('not strict JSON', cause);
  }
}

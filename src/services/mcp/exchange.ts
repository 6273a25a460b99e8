/**
 * Exchanges one message with an MCP server. The answer is JSON or a stream of events. A stream that ends without the
 * answer is resumed by its last event id, or is a failure. Other events in it are ignored, within limits.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { MarketError } from '../../domain/errors';
import type { Egress } from '../../egress/agent-call';
import { collect, type EgressStream } from '../../egress/answer';
import { EgressError } from '../../egress/egress-error';
import { decodedItems, splitWholeEvents } from '../../kit/streams/event-splitter';
import type { HeldJson } from '../../kit/json/held-json';
import { agentFailure, replyIn, type RpcNotification, type RpcReply, type RpcRequest } from './protocol';
import type { ToolReply } from './tool-reply';

/** An MCP server. */
export interface McpTarget {
  url: string;
  /** Headers of every message, such as the upstream credential and the trace id. */
  headers: Readonly<Record<string, string>>;
  /** Returns further headers of one message, such as the signature of its body. */
  sign?: (body: Buffer, message: { method: string }) => Record<string, string>;
  /** True if a tool call may reach the server twice: the agent is idempotent. */
  idempotent?: boolean;
  /** Key for remembering the negotiated era: the version id of the agent. */
  cacheKey: string;
  /** Wraps every response before it is read, for example to mask the upstream credential. */
  wrap?: (stream: EgressStream) => EgressStream;
  /** Called with the error of a message that could not be sent. */
  onFailure?: (error: unknown) => void;
  read: MessageReader;
  /** Set if the server may answer a tool call with a task, and how long it is to keep its result. */
  tasks?: { ttlMs: number } | undefined;
  /** JSON text that messages contain by its token. */
  held?: HeldJson;
}

/** Reads messages of the server; large ones beside the event loop. Its methods throw `agent_error`. */
export interface MessageReader {
  /** The message of a response to a tool call, or to a question about its task (`tool-reply.ts`). */
  toolReply(message: Buffer | string, id: number, about: 'result' | 'task'): Promise<ToolReply | undefined>;
  /** Any other message, parsed strictly. */
  message(message: Buffer | string): Promise<unknown>;
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
/** Largest response of all methods but those of a tool's result. */
const MAX_OTHER_BYTES = 4 * 1024 * 1024;
/** Pause before a stream is resumed: the default, and the shortest. */
const RETRY_MS = 1_000;
const LEAST_RETRY_MS = 100;
const EVENT_ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?$/;
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
      return await replyInEvents(stream, { egress, target, limits, request, headers }, head);
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
  message: RpcRequest | RpcNotification,
  headers: Readonly<Record<string, string>>,
): Promise<EgressStream> {
  const text = JSON.stringify(message);
  const body = target.held ? Buffer.concat(target.held.pieces(text)) : Buffer.from(text);
  const opening = egress.open({
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
    maxResponseBytes: ABOUT_TOOLS.has(message.method) ? limits.maxResponseBytes : MAX_OTHER_BYTES,
    repeatable: message.method !== TOOL_CALL || target.idempotent,
  });
  const stream = await opening.catch((error: unknown) => {
    target.onFailure?.(error);
    throw error;
  });
  return target.wrap?.(stream) ?? stream;
}

/** What a stream is resumed with. */
interface Exchange {
  egress: Egress;
  target: McpTarget;
  limits: McpLimits;
  request: RpcRequest;
  headers: Readonly<Record<string, string>>;
}

/** Where a stream of events stands. */
interface Place {
  lastEventId: string;
  retryMs: number;
  /** Notifications and unrelated answers so far. */
  foreign: number;
}

interface Head {
  status: number;
  sessionId: string | null;
}

/**
 * Reads events until the reply. A server may end the stream before it, and wants to be asked again by its last event
 * id, after the pause that it names (2025-11-25, "Resumability and Redelivery").
 */
async function replyInEvents(first: EgressStream, exchange: Exchange, head: Head): Promise<RpcReply> {
  const place: Place = { lastEventId: '', retryMs: RETRY_MS, foreign: 0 };
  for (let stream = first; ; stream = await resumed(exchange, place)) {
    try {
      const reply = await replyInStream(stream, exchange, head, place);
      if (reply) return reply;
    } catch (error) {
      if (place.lastEventId === '' || !isBroken(error)) throw error;
    } finally {
      stream.close();
    }
  }
}

async function replyInStream(
  stream: EgressStream,
  { target, request }: Exchange,
  head: Head,
  place: Place,
): Promise<RpcReply | undefined> {
  const splitter = splitWholeEvents(Number.MAX_SAFE_INTEGER, (ms) => (place.retryMs = ms));
  for await (const events of decodedItems(stream.body, splitter)) {
    for (const { id, event, data } of events) {
      if (id !== undefined) place.lastEventId = EVENT_ID.test(id) ? id : '';
      if (data === '' || (event !== undefined && event !== 'message')) continue;
      const reply = await messageIn(data, target, request, head);
      if (reply) return reply;
      place.foreign += 1;
      if (place.foreign > MAX_FOREIGN_EVENTS) throw agentFailure('too many events before the answer');
    }
  }
  return undefined;
}

/** Opens the stream again behind its last event. */
async function resumed(exchange: Exchange, { lastEventId, retryMs }: Place): Promise<EgressStream> {
  if (lastEventId === '') throw agentFailure('the stream ended before the answer');
  const { egress, target, limits, headers } = exchange;
  await pause(Math.max(retryMs, LEAST_RETRY_MS), limits);
  const raw = await egress.open({
    url: target.url,
    method: 'GET',
    headers: {
      ...target.headers,
      ...target.sign?.(Buffer.alloc(0), { method: 'GET' }),
      ...headers,
      accept: 'text/event-stream',
      'last-event-id': lastEventId,
    },
    ...limits,
    repeatable: true,
  });
  const stream = target.wrap?.(raw) ?? raw;
  if (stream.status === 200 && isEvents(stream)) return stream;
  stream.close();
  throw agentFailure(`the stream ended before the answer, and cannot be resumed: ${stream.status}`);
}

/** Waits, but not beyond the deadline. Throws `EgressError` when the call is aborted or its time is over. */
async function pause(ms: number, { deadlineMs, signal }: McpLimits): Promise<void> {
  const leftMs = deadlineMs - Date.now();
  try {
    await sleep(Math.max(Math.min(ms, leftMs), 0), undefined, { signal });
  } catch {
    throw new EgressError('aborted', 'the call was aborted');
  }
  if (ms >= leftMs) throw new EgressError('timeout', 'the call exceeded its deadline');
}

const isBroken = (error: unknown) =>
  error instanceof EgressError && (error.kind === 'bad_response' || error.kind === 'unreachable');

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
  if (reply?.kind === 'refused') return { ...reply, status: head.status, data: undefined };
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

function isEvents(stream: EgressStream): boolean {
  return mediaType(stream) === 'text/event-stream';
}

function isJson(stream: EgressStream): boolean {
  return mediaType(stream) === 'application/json';
}

function mediaType({ contentType }: EgressStream): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

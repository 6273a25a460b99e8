/**
 * Reads the stream of events that answers a request. A stream that ends without the reply is resumed by its last event
 * id, or is a failure. Notifications and requests of the server in it are heard, within limits.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '../../domain/json-value';
import type { Egress } from '../../egress/agent-call';
import type { EgressStream } from '../../egress/answer';
import { EgressError } from '../../egress/egress-error';
import { decodedItems, splitWholeEvents } from '../../kit/streams/event-splitter';
import { agentFailure, type JsonObject, type RpcReply, type RpcRequest } from './protocol';
import type { McpLimits, McpTarget } from './target';

/** Maximum number of notifications and unrelated answers in a stream before ours. */
const MAX_FOREIGN_EVENTS = 10_000;
/** Larger notifications do not pass. */
const MAX_SAID_LENGTH = 64 * 1024;
/** Pause before a stream is resumed: the default, and the shortest. */
const RETRY_MS = 1_000;
const LEAST_RETRY_MS = 100;
const EVENT_ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?$/;

/** A request, and what its stream is read and resumed with. */
interface Exchange {
  egress: Egress;
  target: McpTarget;
  limits: McpLimits;
  request: RpcRequest;
  headers: Readonly<Record<string, string>>;
  /** Reads the reply in a message; undefined if it is none. */
  replyIn: (message: string) => Promise<RpcReply | undefined>;
  /** Called with each message of the server that is no reply: a notification or a request. */
  hear: (message: JsonObject) => void;
}

/** Where a stream of events stands. */
interface Place {
  lastEventId: string;
  retryMs: number;
  /** Notifications and unrelated answers so far. */
  foreign: number;
}

/**
 * Reads events until the reply. A server may end the stream before it, and wants to be asked again by its last event
 * id, after the pause that it names (2025-11-25, "Resumability and Redelivery").
 */
export async function replyInEvents(first: EgressStream, exchange: Exchange): Promise<RpcReply> {
  const place: Place = { lastEventId: '', retryMs: RETRY_MS, foreign: 0 };
  for (let stream = first; ; stream = await resumed(exchange, place)) {
    try {
      const reply = await replyInStream(stream, exchange, place);
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
  { target, replyIn, hear }: Exchange,
  place: Place,
): Promise<RpcReply | undefined> {
  const splitter = splitWholeEvents(Number.MAX_SAFE_INTEGER, (ms) => (place.retryMs = ms));
  for await (const events of decodedItems(stream.body, splitter)) {
    for (const { id, event, data } of events) {
      if (id !== undefined) place.lastEventId = EVENT_ID.test(id) ? id : '';
      if (data === '' || (event !== undefined && event !== 'message')) continue;
      const said = await saidIn(data, target);
      if (said) hear(said);
      const reply = said ? undefined : await replyIn(data);
      if (reply) return reply;
      place.foreign += 1;
      if (place.foreign > MAX_FOREIGN_EVENTS) throw agentFailure('too many events before the answer');
    }
  }
  return undefined;
}

/** A notification or a request of the server; undefined for any other message, and for one that is too large for it. */
async function saidIn(data: string, { read }: McpTarget): Promise<JsonObject | undefined> {
  if (data.length > MAX_SAID_LENGTH || !data.includes('"method"')) return undefined;
  const message = await read.message(data);
  return isRecord(message) && typeof message['method'] === 'string' ? message : undefined;
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

export function isEvents(stream: EgressStream): boolean {
  return mediaType(stream) === 'text/event-stream';
}

export function mediaType({ contentType }: EgressStream): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

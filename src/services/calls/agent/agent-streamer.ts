/**
 * Reading an answer while the agent speaks (contract, "Chat"). Each piece goes to the caller's sink before the next
 * one is read, so that a slow client slows the agent down instead of filling our memory. What ends it: the agent, the
 * call's deadline, the client that left, or the ceiling of a metered call.
 */
import { isUtf8 } from 'node:buffer';
import { MarketError } from '../../../domain/errors';
import type { EgressStream } from '../../../egress/agent-call';
import { collect } from '../../../egress/answer-body';
import { readAgentStream, streamFormOf } from '../../../kit/streams/agent-stream';
import { sha256Hex } from '../../../kit/json/canonical-json';
import { parseStrictJson } from '../../../kit/json/strict-json';
import type { EchoGuard } from './echo-guard';
import type { CallOutput, ChunkSink } from '../invocation-registry';
import type { StreamMeter } from './stream-meter';

/** What an agent is told that it may answer when its answer is read as it comes. */
export const STREAM_ACCEPT = 'text/event-stream, application/x-ndjson, application/json';

export interface StreamReader {
  /** The agent may answer with a stream; otherwise its answer is one document, whatever it says. */
  streams: boolean;
  /** The answer need not be JSON. */
  anyType: boolean;
  sink: ChunkSink | null;
  meter: StreamMeter | null;
  /** When the call must be over, in milliseconds since the epoch; also for a client that does not read on. */
  deadlineMs: number;
  /** Called before the first piece is delivered: from then on the call must not be tried again. */
  onDelivery: () => void;
  /** Keeps the agent's credential out of pieces that come one by one. */
  guard: Pick<EchoGuard, 'pieces'>;
}

/**
 * Reads an answer to its end; the output as re-serialised JSON, or whatever it is where `anyType` allows. Any status
 * but 200 is `agent_error`. A document has no pieces: it is delivered when it has been validated. Throws `EgressError`, and `MarketError`: `agent_error`,
 * `max_cost_exceeded`, `client_closed`; the connection to the agent is closed then.
 */
export async function readAnswer(stream: EgressStream, reader: StreamReader): Promise<CallOutput> {
  const form = reader.streams ? streamFormOf(stream.contentType) : undefined;
  try {
    if (stream.status !== 200) throw new MarketError('agent_error');
    if (form)
      return jsonOutput(await deliver(reader.guard.pieces(readAgentStream(stream.body, form)), reader));
    const body = await collect(stream.body);
    if (reader.anyType && !isJson(stream.contentType)) return plainOutput(body, stream.contentType);
    return jsonOutput(Buffer.from(JSON.stringify(readDocument(body))));
  } catch (error) {
    stream.close();
    throw error;
  }
}

async function deliver(
  pieces: AsyncGenerator<string, Buffer, undefined>,
  reader: StreamReader,
): Promise<Buffer> {
  const { sink, meter } = reader;
  try {
    for (;;) {
      const next = await pieces.next();
      if (next.done) return next.value;
      if ((await meter?.add(next.value)) === 'exceeded') throw new MarketError('max_cost_exceeded');
      if (!sink) continue;
      reader.onDelivery();
      await writeBefore(sink, next.value, reader.deadlineMs);
    }
  } finally {
    await pieces.return(Buffer.alloc(0)); // a loop that was left early must not leave the agent's connection open
  }
}

/** Throws `client_closed` when the client has gone, or does not read on before the deadline. */
async function writeBefore(sink: ChunkSink, chunk: string, deadlineMs: number): Promise<void> {
  if (sink.closed.aborted) throw new MarketError('client_closed');
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new MarketError('client_closed')), Math.max(deadlineMs - Date.now(), 0));
  });
  try {
    await Promise.race([sink.write(chunk), overdue]);
  } finally {
    clearTimeout(timer);
  }
}

/** What is validated is what is delivered: the answer is read strictly and written again. */
function readDocument(body: Buffer): unknown {
  try {
    return parseStrictJson(body).value;
  } catch (error) {
    throw new MarketError('agent_error', { cause: error });
  }
}

function jsonOutput(json: Buffer): CallOutput {
  return { json, plain: null, isToolError: false };
}

/** Text as it is, anything else in base64: either way nothing of the bytes is lost. */
function plainOutput(body: Buffer, contentType: string): CallOutput {
  const isBase64 = !isUtf8(body);
  const text = body.toString(isBase64 ? 'base64' : 'utf8');
  return {
    json: Buffer.from(JSON.stringify(text)),
    plain: { contentType: shownType(contentType), isBase64, sha256: sha256Hex(body) },
    isToolError: false,
  };
}

function isJson(contentType: string): boolean {
  return /^(?:application|text)\/(?:[a-z0-9.!#$&^_-]+\+)?json[ \t]*(?:;|$)/i.test(contentType);
}

/** A stranger's header goes to the buyer only in the form of a media type. */
function shownType(contentType: string): string {
  const isMediaType = /^[\w.!#$&^+-]+\/[\w.!#$&^+-]+[ \t]*(?:;[\x20-\x7e]*)?$/.test(contentType);
  return isMediaType && contentType.length <= 255 ? contentType : 'application/octet-stream';
}

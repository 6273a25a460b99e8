/**
 * Reading an answer while the agent speaks (contract, "Chat"). Each piece goes to the caller's sink before the next
 * one is read, so that a slow client slows the agent down instead of filling our memory. What ends it: the agent, the
 * call's deadline, the client that left, or the ceiling of a metered call.
 */
import { MarketError } from '../domain/errors';
import type { EgressStream } from '../egress/agent-call';
import { collect } from '../egress/answer-body';
import { readAgentStream, streamFormOf } from '../kit/agent-stream';
import { parseStrictJson } from '../kit/strict-json';
import type { ChunkSink } from './invocation-registry';
import type { StreamMeter } from './stream-meter';

/** What an agent is told that it may answer when its answer is read as it comes. */
export const STREAM_ACCEPT = 'text/event-stream, application/x-ndjson, application/json';

export interface StreamReader {
  /** The agent may answer with a stream; otherwise its answer is one document, whatever it says. */
  streams: boolean;
  sink: ChunkSink | null;
  meter: StreamMeter | null;
  /** When the call must be over, in milliseconds since the epoch; also for a client that does not read on. */
  deadlineMs: number;
  /** Called before the first piece is delivered: from then on the call must not be tried again. */
  onDelivery: () => void;
}

/**
 * Reads an answer to its end; the output as re-serialised JSON. Any status but 200 is `agent_error`. A document has no pieces:
 * it is delivered when it has been validated. Throws `EgressError`, and `MarketError`: `agent_error`,
 * `max_cost_exceeded`, `client_closed`; the connection to the agent is closed then.
 */
export async function readAnswer(stream: EgressStream, reader: StreamReader): Promise<Buffer> {
  const form = reader.streams ? streamFormOf(stream.contentType) : undefined;
  try {
    if (stream.status !== 200) throw new MarketError('agent_error');
    if (form) return await deliver(readAgentStream(stream.body, form), reader);
    return Buffer.from(JSON.stringify(readDocument(await collect(stream.body))));
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

/**
 * Reads streamed answers (contract, "Chat"). Each piece is written to the caller's sink before the next one is read, so
 * that a slow client slows the agent down instead of filling memory. Reading ends with the answer, at the call's
 * deadline, when the client disconnects, or at the ceiling of a metered call.
 */
import { isReadersTimeout, type Truncation } from '../../../domain/catalogue/truncation';
import { refusesRequest, wordsOfRefusal } from '../../../domain/calls/failure-facts';
import { MarketError } from '../../../domain/errors';
import { collect, type EgressStream } from '../../../egress/answer';
import { EgressError } from '../../../egress/egress-error';
import { readAgentStream, type StreamForm, streamFormOf } from '../../../kit/streams/agent-stream';
import type { AnswerKind, AnswerResults, AnswerTask } from '../answers/answer-task';
import type { EchoGuard } from '../answers/echo-guard';
import type { Delivery } from './delivery';
import type { CallOutput } from './in-flight';
import type { StreamMeter } from './metering';
import { withTimeout } from '../../../kit/with-timeout';

/** `Accept` header for an answer that may be streamed. */
export const STREAM_ACCEPT = 'text/event-stream, application/x-ndjson, application/json';

export interface StreamReader {
  /** Whether the agent may stream. Otherwise the answer is read as one document, whatever its content type. */
  streams: boolean;
  /** Whether the answer may be other than JSON. */
  anyType: boolean;
  delivery: Delivery | null;
  meter: StreamMeter | null;
  /** Deadline of the call, in ms since the epoch; also limits how long a client that does not read may block. */
  deadlineMs: number;
  timeoutMs: number;
  /** Whether the deadline is the time that the ceiling pays for, which is shorter than the timeout. */
  isBudgeted: boolean;
  /** Called before the first piece is delivered. From then on, the call must not be retried. */
  onDelivery: () => void;
  /** Masks the agent's credential in streamed pieces. */
  guard: Pick<EchoGuard, 'pieces'>;
  /** Work in proportion to the size of the answer (`answers/answer-threads.ts`). */
  perform: Perform;
}

export type PiecesReader = Omit<StreamReader, 'streams' | 'anyType'>;

/** `isFinal`: the result is the answer that is delivered (default), not text that is masked and read again. */
export type Perform = <K extends AnswerKind>(
  task: AnswerTask<K>,
  source: Buffer | string,
  isFinal?: boolean,
) => Promise<AnswerResults[K]>;

/**
 * Reads an answer to its end. Returns the output as re-serialized JSON, or as any other content where `anyType` allows
 * it. Any status but 200 is `agent_error`. A document is not streamed: it is delivered after its validation. A stream
 * that has delivered a piece and then reaches the ceiling, or loses its reader, gives the output `{text}` of what was
 * delivered. Otherwise throws `EgressError` or `MarketError` (`agent_error`, `max_cost_exceeded`, `client_closed`).
 * Closes the connection unless the answer was read to its end.
 */
export async function readAnswer(stream: EgressStream, reader: StreamReader): Promise<CallOutput> {
  const form = reader.streams ? streamFormOf(stream.contentType) : undefined;
  try {
    if (stream.status !== 200) throw await refusalOf(stream, reader.perform);
    if (form) return await streamed(stream, form, reader);
    const body = await collect(stream.body);
    if (reader.anyType && !isJson(stream.contentType)) {
      return await plainOutput(body, stream.contentType, reader.perform);
    }
    return jsonOutput(await reader.perform({ kind: 'document' }, body));
  } catch (error) {
    stream.close();
    throw error;
  }
}

/** The error for a status other than 200, with the agent's own words if it refused the request. */
async function refusalOf(stream: EgressStream, perform: Perform): Promise<MarketError> {
  if (!refusesRequest(stream.status) || !isJson(stream.contentType)) return new MarketError('agent_error');
  const body = await collect(stream.body);
  const message = await perform({ kind: 'message' }, body).catch(() => undefined);
  return new MarketError('agent_error', { agentMessage: wordsOfRefusal(message?.value) ?? undefined });
}

/** Reads a stream to its end, or to where it was truncated after a piece had been delivered. */
async function streamed(stream: EgressStream, form: StreamForm, reader: StreamReader): Promise<CallOutput> {
  const { perform } = reader;
  const pieces = readAgentStream(stream.body, form, {
    item: (text) => perform({ kind: 'item' }, text),
    output: async (text) => (await perform({ kind: 'text' }, text, false)).json,
  });
  return deliverPieces(pieces, reader, () => stream.close());
}

/**
 * Delivers pieces of text, whose generator returns the output, to its end, or to where it was truncated after a piece
 * had been delivered.
 */
export async function deliverPieces(
  pieces: AsyncGenerator<string, Buffer, undefined>,
  reader: PiecesReader,
  close: () => void,
): Promise<CallOutput> {
  const { perform } = reader;
  try {
    const json = await deliver(reader.guard.pieces(pieces), reader);
    return jsonOutput(await perform({ kind: 'document' }, json));
  } catch (error) {
    const by = truncationOf(error, reader);
    const text = by && reader.delivery?.text();
    if (!by || !text) throw error;
    close();
    return truncatedOutput(text, by, perform);
  }
}

/** What ended a stream early, if it was neither the agent nor this service. */
function truncationOf(error: unknown, reader: PiecesReader): Truncation | null {
  const { delivery, timeoutMs, isBudgeted } = reader;
  if (!delivery) return null;
  if (error instanceof MarketError && error.code === 'max_cost_exceeded') return 'ceiling';
  if (delivery.closed.aborted || (error instanceof MarketError && error.code === 'client_closed'))
    return 'client_closed';
  if (!(error instanceof EgressError) || error.kind !== 'timeout') return null;
  if (isBudgeted) return 'ceiling';
  return isReadersTimeout(delivery.waitedMs(), timeoutMs) ? 'client_closed' : null;
}

async function deliver(
  pieces: AsyncGenerator<string, Buffer, undefined>,
  reader: PiecesReader,
): Promise<Buffer> {
  const { delivery, meter } = reader;
  try {
    for (;;) {
      const next = await pieces.next();
      if (next.done) return next.value;
      if ((await meter?.add(next.value)) === 'exceeded') throw new MarketError('max_cost_exceeded');
      if (!delivery) continue;
      reader.onDelivery();
      await writeBefore(delivery, next.value, reader.deadlineMs);
    }
  } finally {
    await pieces.return(Buffer.alloc(0)); // a loop that was left early must not leave the agent's connection open
  }
}

/** Writes a piece. Throws `client_closed` if the client has disconnected or does not read before the deadline. */
async function writeBefore(delivery: Delivery, chunk: string, deadlineMs: number): Promise<void> {
  if (delivery.closed.aborted) throw new MarketError('client_closed');
  await withTimeout(Math.max(deadlineMs - Date.now(), 0), delivery.write(chunk), () => {
    delivery.stop();
    throw new MarketError('client_closed');
  });
}

function jsonOutput({ json, sha256, found }: AnswerResults['document']): CallOutput {
  return { json, sha256, plain: null, isToolError: false, truncatedBy: null, found };
}

/** The output of a stream that ended early: the text that was delivered. */
export async function truncatedOutput(text: string, by: Truncation, perform: Perform): Promise<CallOutput> {
  return { ...jsonOutput(await perform({ kind: 'text' }, text)), truncatedBy: by };
}

/** Text or base64 with its content type, which is untrusted. */
async function plainOutput(body: Buffer, contentType: string, perform: Perform): Promise<CallOutput> {
  const bytes = body.length;
  const { json, isBase64, sha256, found } = await perform({ kind: 'plain' }, body);
  const plain = { contentType: shownType(contentType), isBase64, bytes };
  return { json, sha256, plain, isToolError: false, truncatedBy: null, found };
}

export function isJson(contentType: string): boolean {
  return /^(?:application|text)\/(?:[a-z0-9.!#$&^_-]+\+)?json[ \t]*(?:;|$)/i.test(contentType);
}

/** The agent's content type is untrusted, so the buyer gets it only if it is a valid media type. */
function shownType(contentType: string): string {
  const isMediaType = /^[\w.!#$&^+-]+\/[\w.!#$&^+-]+[ \t]*(?:;[\x20-\x7e]*)?$/.test(contentType);
  return isMediaType && contentType.length <= 255 ? contentType : 'application/octet-stream';
}

/**
 * The response to one message: a JSON document or, for a client that takes server-sent events, a stream whose last
 * event is the same document. A stream begins with the first notification; without one, the response is the document.
 */
import type { Request, Response } from 'express';
import { type EventStream, startEventStream } from '../../answers/sse';
import { clientGone } from '../../identity/context';
import type { McpFault, RpcId } from './protocol';

export type Piece = string | Buffer;

export interface McpReply {
  /** True if the client takes server-sent events. */
  readonly streams: boolean;
  /** True once the response is a stream. */
  readonly begun: boolean;
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal;
  /** Sets a header of a response that is no stream yet. */
  header(name: string, value: string): void;
  /** Makes the response a stream. */
  begin(): void;
  /** Sends a message before the result. Resolves when the client can take more, or has disconnected. */
  send(message: readonly Piece[]): Promise<void>;
  /** Sends the result, with status 200. */
  result(id: RpcId, result: readonly Piece[]): void;
  /** Sends an error, with the status that its era requires. */
  fault(id: RpcId | null, fault: McpFault): void;
}

/** `text/event-stream`, unless its weight is 0 (RFC 9110). */
const STREAM = /(?:^|,)\s*text\/event-stream\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:[,;]|$))[^,]*)?(?:,|$)/i;

export function createReply(req: Request, res: Response): McpReply {
  let stream: EventStream | undefined;
  const begin = (): EventStream => {
    stream ??= startEventStream(res);
    stream.begin();
    return stream;
  };
  const send = (status: number, pieces: readonly Piece[]): void => {
    const body = joined(pieces);
    if (stream) {
      stream.end(body);
      return;
    }
    res.statusCode = status;
    res.setHeader('Content-Type', 'application/json');
    res.setHeader('Content-Length', body.length);
    res.end(body);
  };
  return {
    streams: STREAM.test(req.get('accept') ?? ''),
    get begun() {
      return stream !== undefined;
    },
    gone: clientGone(res),
    header(name, value) {
      if (!stream) res.setHeader(name, value);
    },
    begin: () => void begin(),
    send: (message) => begin().send(joined(message)),
    result: (id, result) =>
      send(200, [`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, ...result, '}']),
    fault(id, { code, message, data, status }) {
      const error = { code, message, ...(data !== undefined && { data }) };
      send(status, [JSON.stringify({ jsonrpc: '2.0', id, error })]);
    },
  };
}

/** A request of the server, on the stream of a legacy client. */
export function serverRequest(id: string, method: string, params: object): Piece[] {
  return [JSON.stringify({ jsonrpc: '2.0', id, method, params })];
}

/** A notification of the server, as pieces. */
export function notification(method: string, params: readonly Piece[]): Piece[] {
  return [`{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":`, ...params, '}'];
}

function joined(pieces: readonly Piece[]): Buffer {
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
}

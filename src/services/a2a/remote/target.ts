/** What the A2A client and its parts know of an agent and of a request. */
import type { CardInterface } from '../../../domain/catalogue/cards/agent-card';
import type { EgressStream } from '../../../egress/answer';
import type { Document, RemoteReply } from './reply';
import type { RemoteEvent } from './stream';

/** An A2A agent of a developer, as the client addresses it. */
export interface RemoteTarget {
  at: CardInterface;
  /** Headers of every request, such as the upstream credential and the trace id. */
  headers: Readonly<Record<string, string>>;
  /** Further headers of one request, such as the signature of its body. */
  sign: (body: Buffer, isMessage: boolean) => Record<string, string>;
  /** Wraps every response before it is read, to mask the upstream credential. */
  wrap: (stream: EgressStream) => EgressStream;
  /** Called with the error of a request that could not be sent. */
  onFailure: (error: unknown) => void;
  /** Reads a response. `id`: of the JSON-RPC request. */
  read: (message: Buffer, id: number | undefined) => Promise<RemoteReply>;
  readEvent: (data: string, id: number | undefined) => Promise<RemoteEvent>;
  /** Reads the JSON of an answer that is put together here. */
  readWhole: (json: Buffer) => Promise<Document>;
}

export interface RemoteLimits {
  /** Deadline of the whole operation, in ms since the epoch. */
  deadlineMs: number;
  maxResponseBytes: number;
  signal: AbortSignal;
  /** Called with the status of the response to a message. */
  onStatus?: (status: number) => void;
}

/** An MCP server of a developer, as the client addresses it. */
import type { UnpassedRequest } from '../../domain/jobs/unpassed';
import type { EgressStream } from '../../egress/answer';
import type { HeldJson } from '../../kit/json/held-json';
import type { ToolCaller } from './caller';
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
  /** The client that waits for a tool call, and hears of it while it runs. */
  caller?: ToolCaller | undefined;
  /** Why a request of the server did not pass during a tool call: set when it happens. */
  unpassed?: { reason?: string };
  /** Called with each request of the server that passes to no buyer. */
  onUnpassed?: (request: UnpassedRequest) => void;
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

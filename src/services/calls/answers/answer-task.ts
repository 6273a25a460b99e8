/**
 * Work on the bytes of an agent's answer, and on the input that its MCP server gets. It runs in the process for small
 * ones, and in a thread for large ones (`answer-threads.ts`).
 */
import type { AnswerFindings } from '../../../domain/calls/answer-findings';
import { type ErrorCode, MarketError } from '../../../domain/errors';
import { canonicalJson, sha256Hex } from '../../../kit/json/canonical-json';
import { type PlainJson, plainJson } from '../../../kit/json/plain-json';
import { parseStrictJson } from '../../../kit/json/strict-json';
import { readItem, type StreamItem } from '../../../kit/streams/agent-stream';
import type { SchemaCheck } from '../../../kit/schemas/compiled-schemas';
import { partsOf, type PartStyle, sessionIn } from '../../a2a/remote/parts';
import { readRemoteReply, type RemoteReply } from '../../a2a/remote/reply';
import { readRemoteEvent, type RemoteEvent } from '../../a2a/remote/stream';
import type { Assertion } from '../../../domain/calls/acceptance';
import { divideToolCall, type ToolCall } from '../../mcp/tool-call';
import { firstFailed } from './assertions';
import { readToolReply, type ToolReply } from '../../mcp/tool-reply';

/** Parsing more values takes seconds, however few bytes they have. */
const MAX_ANSWER_VALUES = 500_000;
/** A message is passed to the event loop as a value, which costs about as much as parsing it there. */
const MAX_MESSAGE_VALUES = 150_000;

/** JSON that is delivered, and its digest. */
export interface Document {
  json: Buffer;
  /** SHA-256 of the canonical form (RFC 8785), in hex. */
  sha256: string;
}

/** What the thread that reads a large answer is to find out about it, so that no further thread has to get it. */
export interface AnswerReview {
  /** The schema that the answer must match; null if it has none, or one that is left to other threads. */
  check: SchemaCheck | null;
  /** The tokens of so many first bytes are counted; null if they are left to the counter. */
  sampleBytes: number | null;
}

/** `found`: the findings about an answer that a thread has reviewed. */
type Reviewed<T> = T & { found?: AnswerFindings };

/** What each kind of work returns. */
export interface AnswerResults {
  /** Bytes that are not JSON, as a JSON string. */
  plain: Reviewed<PlainJson>;
  /** An answer in one document, parsed strictly and serialized again. */
  document: Reviewed<Document>;
  /** The text of a streamed answer, as the output `{text}`. */
  text: Reviewed<Document>;
  /** An item of a streamed answer. */
  item: StreamItem;
  /** A message of an MCP server: the reply to a tool call, or about its task; undefined if it is none. */
  tool_reply: ToolReply | undefined;
  /** Any other message of an MCP server, such as a list of tools. */
  message: { value: unknown };
  /** The input of an MCP agent. */
  tool_call: ToolCall;
  /** A response of an A2A agent. */
  remote_reply: RemoteReply;
  /** An event in the stream of an A2A agent. */
  remote_event: RemoteEvent;
  /** The input of an A2A agent, as the JSON text of the parts of a message. */
  message_parts: { json: Buffer; contextId: string | undefined };
  /** The index of the first assertion of the buyer that the answer fails; null if it passes. */
  acceptance: { failed: number | null };
}

export type AnswerKind = keyof AnswerResults;

export interface AnswerTask<K extends AnswerKind = AnswerKind> {
  kind: K;
  /** Id of the request whose reply is wanted. */
  id?: number;
  /** What that request asked for. */
  about?: 'result' | 'task';
  /** What the buyer asserts of the answer. */
  assertions?: readonly Assertion[];
  /** How the parts of a message are written. */
  style?: PartStyle;
}

type Work = { [K in AnswerKind]: (source: Buffer | string, task: AnswerTask<K>) => AnswerResults[K] };

const bytesOf = (source: Buffer | string): Buffer =>
  typeof source === 'string' ? Buffer.from(source) : source;

const WORK: Work = {
  plain: (source) => plainJson(bytesOf(source)),
  document: (source) => documentOf(parsed(bytesOf(source))),
  text: (source) => documentOf({ text: source.toString() }),
  item: (source) => readItem(source.toString()),
  tool_reply: (source, { id = 0, about }) => readToolReply(parsed(bytesOf(source)), id, about),
  message: (source) => ({ value: parsed(bytesOf(source), MAX_MESSAGE_VALUES) }),
  tool_call: (source) => divideToolCall(bytesOf(source)),
  remote_reply: (source, { id }) => readRemoteReply(parsed(bytesOf(source)), id),
  remote_event: (source, { id }) => readRemoteEvent(parsed(bytesOf(source)), id),
  message_parts: (source, { style = '1.0' }) => {
    const input = inputIn(source.toString());
    return { json: Buffer.from(JSON.stringify(partsOf(input, style))), contextId: sessionIn(input) };
  },
  acceptance: (source, { assertions = [] }) => ({
    failed: firstFailed(JSON.parse(source.toString()), assertions),
  }),
};

/** Performs a task. Throws `agent_error` for an answer that is not strict JSON, or not what was asked for. */
export function performAnswerTask<K extends AnswerKind>(
  task: AnswerTask<K>,
  source: Buffer | string,
): AnswerResults[K] {
  return WORK[task.kind](source, task);
}

/** Verification also sends what is no JSON, which is the text of the message then. */
function inputIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { text };
  }
}

/** A byte order mark at the beginning, as .NET writes it, is ignored (RFC 8259 §8.1). */
function parsed(bytes: Buffer, maxValues = MAX_ANSWER_VALUES): unknown {
  try {
    return parseStrictJson(withoutMark(bytes), maxValues).value;
  } catch (cause) {
    throw new MarketError('agent_error', { cause });
  }
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const withoutMark = (bytes: Buffer) =>
  bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;

/** Serializes an answer again, so that exactly what was validated is delivered. */
function documentOf(value: unknown): Document {
  return { json: Buffer.from(JSON.stringify(value)), sha256: sha256Hex(canonicalJson(value)) };
}

/** What a task results in, in a form that passes between threads. Faults of the service are thrown. */
export type AnswerOutcome = { ok: true; value: unknown } | { ok: false; code: ErrorCode; reason: string };

export function outcomeOf(work: () => unknown): AnswerOutcome {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    const { cause } = error;
    return { ok: false, code: error.code, reason: cause instanceof Error ? cause.message : error.message };
  }
}

/**
 * Reads an agent's streamed answer (contract, "Chat"): chunks of text, then one output. Supported are server-sent
 * events, NDJSON and JSON text sequences whose items are a JSON string, `{"chunk": "…"}` or, once and last, `{"output":
 * …}`. Names, ids, comments and retry fields of the agent's events, and heartbeats, are dropped, so that its framing
 * never reaches clients.
 *
 * Invariant: an item that is not one of these values, not strict JSON, or too long ends the answer with
 * `agent_error`.
 */
import { MarketError } from '../../domain/errors';
import { decodedItems, splitEvents, type Splitter } from './event-splitter';
import { parseStrictJsonText } from '../json/strict-json';
import { isRecord } from '../../domain/json-value';

/** Maximum length of one line or event, in characters. */
export const MAX_STREAM_ITEM = 1024 * 1024;

const LINE_TYPES = new Set(['application/x-ndjson', 'application/ndjson', 'application/jsonl']);
/** RFC 7464: each text begins with a record separator, and may have several lines. */
const SEQUENCE_TYPE = 'application/json-seq';
const RECORD_SEPARATOR = '\u001e';
/** Events that keep a connection open and carry nothing. */
const HEARTBEATS = new Set([
  'ping',
  'pong',
  'heartbeat',
  'keepalive',
  'keep-alive',
  'keep_alive',
  'noop',
  'open',
  'connected',
]);
/** The mark with which many servers end a stream. */
const END_MARK = '[DONE]';

export type StreamForm = 'events' | 'lines' | 'sequence';

/** The stream format of a content type; undefined for a single document. */
export function streamFormOf(contentType: string): StreamForm | undefined {
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mediaType === 'text/event-stream') return 'events';
  if (mediaType === SEQUENCE_TYPE) return 'sequence';
  return LINE_TYPES.has(mediaType) ? 'lines' : undefined;
}

/** An item: a text chunk, or the output as JSON text. */
export type StreamItem = string | { json: Buffer };

/** Work in proportion to the length of one item, and of the whole text; by default it is done at once. */
export interface StreamWork {
  item: (text: string) => StreamItem | Promise<StreamItem>;
  /** Writes the output `{"text": <text>}`. */
  output: (text: string) => Buffer | Promise<Buffer>;
}

const AT_ONCE: StreamWork = {
  item: readItem,
  output: (text) => Buffer.from(JSON.stringify({ text })),
};

/**
 * Yields the non-empty text chunks of a stream. Returns the output as re-serialized JSON: the output that the agent
 * sent, or `{"text": <all chunks>}`. Throws `agent_error` for an invalid or empty stream, and passes on errors of
 * `body`. Reads `body` on demand, so a slow consumer applies backpressure.
 */
export async function* readAgentStream(
  body: AsyncIterable<Buffer>,
  form: StreamForm,
  work: StreamWork = AT_ONCE,
): AsyncGenerator<string, Buffer, undefined> {
  const splitter = SPLITTERS[form]();
  const parts: string[] = [];
  let output: { json: Buffer } | undefined;
  for await (const items of decodedItems(body, splitter)) {
    for (const item of items) {
      // Heartbeats and priming events have no data (WHATWG HTML §9.2.6).
      if (isBlank(item) || (form === 'events' && item.trim() === END_MARK)) continue;
      const value = await work.item(item);
      if (output) throw agentError('something follows the output');
      if (typeof value !== 'string') output = value;
      else if (value !== '') {
        parts.push(value);
        yield value;
      }
    }
  }
  if (!output && parts.length === 0) throw agentError('the stream is empty');
  return output ? output.json : work.output(parts.join(''));
}

/** The text of an output whose chunks are unknown: of an answer in one document, or of a replay. */
export function textOfOutput(json: Buffer): string {
  const value = JSON.parse(json.toString()) as unknown;
  if (typeof value === 'string') return value;
  return soleField(value, 'text') ?? json.toString();
}

/** Reads an item. Throws `agent_error` for any other form. */
export function readItem(text: string): StreamItem {
  if (text.length > MAX_STREAM_ITEM) throw agentError('an item of the stream is too long');
  const { value } = strict(() => parseStrictJsonText(text));
  if (typeof value === 'string') return value;
  const chunk = soleField(value, 'chunk');
  if (chunk !== undefined) return chunk;
  if (isRecord(value) && Object.keys(value).join() === 'output')
    return { json: Buffer.from(JSON.stringify(value['output'])) };
  throw agentError('an item of the stream has an unknown form');
}

const SPLITTERS: Record<StreamForm, () => Splitter> = {
  events: () =>
    splitEvents(MAX_STREAM_ITEM, (name) => name === undefined || !HEARTBEATS.has(name.toLowerCase())),
  lines: () => splitTexts('\n'),
  sequence: () => splitTexts(RECORD_SEPARATOR),
};

function splitTexts(separator: string): Splitter {
  let open: string[] = [];
  let openLength = 0;
  const close = () => {
    const line = open.join('');
    open = [];
    openLength = 0;
    return line;
  };
  return {
    feed(text) {
      const lines = text.split(separator);
      const rest = lines.pop() ?? '';
      const ended = lines.map((line) => {
        open.push(line);
        return close();
      });
      open.push(rest);
      openLength += rest.length;
      if (openLength > MAX_STREAM_ITEM) throw agentError('a line is too long');
      return ended;
    },
    end: () => [close()],
  };
}

function isBlank(item: string): boolean {
  return item.trim() === '';
}

function soleField(value: unknown, name: string): string | undefined {
  if (!isRecord(value) || Object.keys(value).join() !== name) return undefined;
  const field = value[name];
  return typeof field === 'string' ? field : undefined;
}

/** Converts parsing errors of untrusted text to `agent_error`. */
function strict<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw agentError('the answer is not strict JSON in UTF-8', error);
  }
}

/** Creates the error. The reason is logged; callers see only the message of the code. */
function agentError(reason: string, cause?: unknown): MarketError {
  return new MarketError('agent_error', { cause: cause ?? new Error(reason) });
}

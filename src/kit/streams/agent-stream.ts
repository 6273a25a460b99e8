/**
 * An agent's answer as it comes (contract, "Chat"): pieces of text, then one output. Server-sent events and NDJSON are
 * understood; their values are a JSON string, `{"chunk": "…"}` or, once and last, `{"output": …}`. Names, ids,
 * comments and retry fields of the agent's events are dropped, so that nothing of its framing can reach our clients.
 * Invariant: whatever is not exactly one of these values, strict JSON, and in bounds ends the answer with
 * `agent_error`.
 */
import { MarketError } from '../../domain/errors';
import { decodedItems, splitEvents, type Splitter } from './event-splitter';
import { parseStrictJsonText } from '../json/strict-json';

/** One line or event of a stream, in characters. */
export const MAX_STREAM_ITEM = 1024 * 1024;

const LINE_TYPES = new Set(['application/x-ndjson', 'application/ndjson', 'application/jsonl']);

export type StreamForm = 'events' | 'lines';

/** The form of an answer's stream by its content type; undefined when it is one document. */
export function streamFormOf(contentType: string): StreamForm | undefined {
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mediaType === 'text/event-stream') return 'events';
  return LINE_TYPES.has(mediaType) ? 'lines' : undefined;
}

/**
 * Yields the pieces of text of a stream (never empty ones) and returns the output as re-serialised JSON: the one that
 * the agent sent, else `{"text": all pieces}`. Throws `agent_error`, also for an empty stream, and whatever reading
 * `body` throws. `body` is read on only when the next piece is asked for.
 */
export async function* readAgentStream(
  body: AsyncIterable<Buffer>,
  form: StreamForm,
): AsyncGenerator<string, Buffer, undefined> {
  const splitter = form === 'events' ? splitEvents(MAX_STREAM_ITEM) : splitLines();
  const parts: string[] = [];
  let output: { value: unknown } | undefined;
  for await (const items of decodedItems(body, splitter)) {
    for (const item of items) {
      const value = readItem(item);
      if (output) throw agentError('something follows the output');
      if (typeof value !== 'string') output = value;
      else if (value !== '') {
        parts.push(value);
        yield value;
      }
    }
  }
  if (!output && parts.length === 0) throw agentError('the stream is empty');
  return Buffer.from(JSON.stringify(output ? output.value : { text: parts.join('') }));
}

/** The text that stands for an output whose pieces are not known: of an answer in one document, or of a replay. */
export function textOfOutput(json: Buffer): string {
  const value = JSON.parse(json.toString()) as unknown;
  if (typeof value === 'string') return value;
  return soleField(value, 'text') ?? json.toString();
}

/** A piece of text, or the output. */
function readItem(text: string): string | { value: unknown } {
  if (text.length > MAX_STREAM_ITEM) throw agentError('an item of the stream is too long');
  const { value } = strict(() => parseStrictJsonText(text));
  if (typeof value === 'string') return value;
  const chunk = soleField(value, 'chunk');
  if (chunk !== undefined) return chunk;
  if (isRecord(value) && Object.keys(value).join() === 'output') return { value: value['output'] };
  throw agentError('an item of the stream has a foreign shape');
}

function splitLines(): Splitter {
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
      const lines = text.split('\n');
      const rest = lines.pop() ?? '';
      const ended = lines.map((line) => {
        open.push(line);
        return close();
      });
      open.push(rest);
      openLength += rest.length;
      if (openLength > MAX_STREAM_ITEM) throw agentError('a line is too long');
      return ended.filter(isNotBlank);
    },
    end: () => [close()].filter(isNotBlank),
  };
}

function isNotBlank(line: string): boolean {
  return line.trim() !== '';
}

function soleField(value: unknown, name: string): string | undefined {
  if (!isRecord(value) || Object.keys(value).join() !== name) return undefined;
  const field = value[name];
  return typeof field === 'string' ? field : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whatever is wrong with a stranger's text is the agent's error. */
function strict<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw agentError('the answer is not strict JSON in UTF-8', error);
  }
}

/** The reason is for logs; callers see the message of the code. */
function agentError(reason: string, cause?: unknown): MarketError {
  return new MarketError('agent_error', { cause: cause ?? new Error(reason) });
}

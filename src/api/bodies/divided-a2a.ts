/**
 * Divides a request with an A2A message into the input of a call and the message that the protocol library and the
 * task's history get. It depends on the body alone, so it runs in a thread for large bodies (`bodies/body-task.ts`).
 */
import { A2A_META } from '../../domain/a2a/a2a-wire';
import { type ErrorCode, MarketError } from '../../domain/errors';
import { asRecord, isRecord } from '../../domain/json-value';
import { canonicalJson } from '../../kit/json/canonical-json';
import { parseStrictJson } from '../../kit/json/strict-json';
import type { PreparedInput } from '../../services/calls/agent/input-check';
import { hasSeveralParts, messageInput } from './message-parts';
import { prepareInput } from './prepares';

export interface A2aDivideOptions {
  /** Whether the message is in the `params` of a JSON-RPC request. */
  isRpc: boolean;
  /** The input field that plain text fills; undefined if plain text is no input of the agent. */
  textField: string | undefined;
  /** Whether the agent takes the parts of a message, as an A2A agent does. */
  takesParts: boolean;
  /** The key of the message's metadata that carries a mandate, whose proof may cover the canonical input. */
  mandateKey: string;
}

export interface DividedA2a {
  /** The request. Above 256 KiB, its message is without the contents of long parts. */
  body: unknown;
  /** Absent if the request has no message, or one that is not suitable as input. */
  input?: PreparedInput;
  /** Canonical input; empty without a mandate. */
  canonical?: string;
  /** Why the message is not suitable. */
  refusal?: { code: ErrorCode; message: string };
}

/** Requests up to this size are passed on whole. The rest of a larger one is parsed on the event loop once more. */
const MAX_REST_LENGTH = 256 * 1024;
/** Shorter contents stay in a large message. */
const SHORT_LENGTH = 4 * 1024;

type Json = Record<string, unknown>;

/** Throws `payload_too_large` if everything but the contents of long parts is too large. */
export function divideA2a(body: unknown, bytes: number, options: A2aDivideOptions): DividedA2a {
  const request = asRecord(options.isRpc ? asRecord(body)['params'] : body);
  const { message } = request;
  const read = isRecord(message) ? inputOf(message, options) : {};
  if (bytes <= MAX_REST_LENGTH) return { body, ...read };
  const rest = isRecord(message) ? { ...request, message: withoutLongParts(message) } : request;
  const small = options.isRpc && isRecord(body) ? { ...body, params: rest } : rest;
  if (JSON.stringify(small).length <= MAX_REST_LENGTH) return { body: small, ...read };
  throw new MarketError('payload_too_large', {
    message: `A request may have at most ${MAX_REST_LENGTH} characters beside the contents of the message's parts.`,
  });
}

function inputOf(message: Json, options: A2aDivideOptions): Omit<DividedA2a, 'body'> {
  try {
    const { textField, takesParts, mandateKey } = options;
    const parts = partsOf(message);
    const isMessage = takesParts && hasSeveralParts(parts);
    const input = isMessage ? messageInput(parts.map(oneContent)) : readInput(parts, textField);
    const canonical = canonicalJson(input);
    const hasMandate = Object.hasOwn(asRecord(message['metadata']), mandateKey);
    return { input: prepareInput(input, canonical), canonical: hasMandate ? canonical : '' };
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    return { refusal: { code: error.code, message: error.message } };
  }
}

/** The input: the only `data` part; or a text that is a JSON object, or that fills the agent's only required text. */
function readInput(parts: readonly unknown[], textField: string | undefined): Json {
  const contents = parts.map(contentOf);
  if (contents.length === 0) throw malformed('The message has no parts.');
  if (contents.some((content) => content === undefined)) {
    throw notSupported('This agent takes parts with data or text only.');
  }
  const data = contents.filter((content) => content?.kind === 'data');
  if (data.length > 1) throw malformed('The message has more than one data part.');
  if (data[0] && contents.length > 1)
    throw malformed(
      'The message has text beside its data part, which the agent would not get. Send one of them.',
    );
  if (data[0]) return requireObject(data[0].value);
  return fromText(contents.map((content) => String(content?.value)).join('\n'), textField);
}

/** The part. Throws `validation_failed` for one with several contents. */
function oneContent(part: unknown): Json {
  const { text, raw, url, data } = asRecord(part);
  const given = [text, raw, url, data].filter((value) => value !== undefined && value !== null);
  if (given.length > 1) throw malformed('A part has more than one of text, raw, url and data.');
  return asRecord(part);
}

/** The content of a part; undefined if it is a file. */
function contentOf(part: unknown): { kind: 'text' | 'data'; value: unknown } | undefined {
  const { text, data } = oneContent(part);
  if (text !== undefined && text !== null) return { kind: 'text', value: text };
  return data === undefined || data === null ? undefined : { kind: 'data', value: data };
}

/** The beginning of a JSON object with a first key: such text is meant as JSON, even if it is malformed further on. */
const BEGINS_OBJECT = /^[ \t\r\n]*\{[ \t\r\n]*"(?:[^"\\]|\\.)*"[ \t\r\n]*:/s;

const MOST_BEGINNING = 4 * 1024;

function fromText(text: string, textField: string | undefined): Json {
  const json = text.replace(/^\ufeff/, '');
  if (BEGINS_OBJECT.test(json.slice(0, MOST_BEGINNING)) || isObjectText(json)) {
    try {
      return requireObject(parseStrictJson(Buffer.from(json)).value);
    } catch (error) {
      if (!(error instanceof MarketError) || error.code !== 'malformed_json') throw error;
      throw malformed(error.message.replace('The body', 'The text part'));
    }
  }
  if (textField === undefined) throw notSupported('This agent takes one part with a JSON object as data.');
  return { [textField]: text };
}

function isObjectText(text: string): boolean {
  if (!/^[ \t\r\n]*\{/.test(text)) return false;
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

function withoutLongParts(message: Json): Json {
  return { ...message, parts: partsOf(message).map(withoutLongContent) };
}

/** An empty text in place of long contents, with their length in the part's metadata. */
function withoutLongContent(part: unknown): unknown {
  if (!isRecord(part)) return part;
  const { text, raw, url, data, file, kind, ...rest } = part;
  const length = JSON.stringify({ text, raw, url, data, file }).length;
  if (length <= SHORT_LENGTH) return part;
  const metadata = { ...asRecord(rest['metadata']), [A2A_META.omittedCharacters]: length };
  return { ...rest, ...(kind !== undefined && { kind: 'text' }), text: '', metadata };
}

function partsOf({ parts }: Json): readonly unknown[] {
  return Array.isArray(parts) ? parts : [];
}

function requireObject(value: unknown): Json {
  if (!isRecord(value)) throw malformed('The data of the message is not an object.');
  return value;
}

function malformed(message: string): MarketError {
  return new MarketError('validation_failed', { message });
}

function notSupported(message: string): MarketError {
  return new MarketError('unsupported_media_type', { message });
}

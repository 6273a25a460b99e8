/**
 * The parts of a message as the input of an agent that is an A2A agent itself: text, data, and the content of files
 * (ADR 0340). In A2A 1.0 a file is a part, and in 0.3 it is a member of one.
 */
import { MarketError } from '../../domain/errors';
import { asRecord, isRecord } from '../../domain/json-value';

type Json = Record<string, unknown>;

/** The members of such an input. Data with these alone is the whole input. */
const MEMBERS: ReadonlySet<string> = new Set(['text', 'messages', 'session_id', 'data', 'files']);
const ANY_TYPE = 'application/octet-stream';

/** Whether the parts have more than a text, or than one object that is the whole input. */
export function hasSeveralParts(parts: readonly unknown[]): boolean {
  const [first, ...more] = parts;
  if (parts.length > 0 && parts.every((part) => typeof asRecord(part)['text'] === 'string')) return false;
  const { data } = asRecord(first);
  const isInput = isRecord(data) && Object.keys(data).every((name) => MEMBERS.has(name));
  return parts.length > 0 && (more.length > 0 || !isInput);
}

/** Throws `validation_failed` and `unsupported_media_type` for parts that the agent would not get. */
export function messageInput(parts: readonly unknown[]): Json {
  const texts: string[] = [];
  const data: Json[] = [];
  const files: Json[] = [];
  for (const part of parts.map(asRecord)) {
    const { text, data: given } = part;
    if (typeof text === 'string') texts.push(text);
    else if (isRecord(given)) data.push(given);
    else if (given !== undefined && given !== null) throw malformed('The data of a part is not an object.');
    else files.push(fileOf(part));
  }
  if (data.length > 1) throw malformed('The message has more than one data part.');
  return {
    ...(texts.length > 0 && { text: texts.join('\n') }),
    ...(data[0] && { data: data[0] }),
    ...(files.length > 0 && { files }),
  };
}

function fileOf(part: Json): Json {
  const file = isRecord(part['file']) ? part['file'] : part;
  const content = file['raw'] ?? file['bytes'];
  if (typeof content !== 'string')
    throw new MarketError('unsupported_media_type', {
      message: 'This agent takes text, data, and the content of files. An address of a file is not fetched.',
    });
  const name = file['filename'] ?? file['name'];
  const type = file['mediaType'] ?? file['mimeType'];
  return {
    ...(typeof name === 'string' && name !== '' && { name }),
    media_type: typeof type === 'string' && type !== '' ? type : ANY_TYPE,
    content_base64: content,
  };
}

const malformed = (message: string) => new MarketError('validation_failed', { message });

/**
 * The parts of messages and artifacts of A2A agents, in 1.0 and 0.3: the input of a call as parts, and the parts of an
 * answer as its output. What an agent sends is untrusted.
 */
import { MarketError } from '../../../domain/errors';
import { asRecord, isRecord } from '../../../domain/json-value';

export type Json = Record<string, unknown>;

/** How parts are written: as in 1.0, as in the JSON-RPC of 0.3, or as in its HTTP+JSON. */
export type PartStyle = '1.0' | '0.3' | '0.3 HTTP';

export function agentFailure(reason: string, cause?: unknown): MarketError {
  return new MarketError('agent_error', { cause: cause ?? new Error(`A2A: ${reason}`) });
}

/**
 * The input of a call as the parts of a message. An input of another form than the schema of such agents, which
 * verification sends, is data.
 */
export function partsOf(input: unknown, style: PartStyle): Json[] {
  const { text: given, messages, session_id: _, data, files, ...others } = asRecord(input);
  const text = given ?? turnsIn(messages);
  const isText = (text === undefined && messages === undefined) || typeof text === 'string';
  const isData = data === undefined || isRecord(data);
  const listed = files === undefined ? [] : files;
  const isFiles = Array.isArray(listed) && listed.every(isFile);
  const isMessage = isRecord(input) && isText && isData && isFiles && Object.keys(others).length === 0;
  if (!isMessage) return [dataPart(isRecord(input) ? input : { value: input }, style)];
  return [
    ...(typeof text === 'string' ? [style === '0.3' ? { kind: 'text', text } : { text }] : []),
    ...(isRecord(data) ? [dataPart(data, style)] : []),
    ...listed.map((file) => filePart(file, style)),
  ];
}

/** The conversation of an input, if it names one. */
export function sessionIn(input: unknown): string | undefined {
  const { session_id: session } = asRecord(input);
  return typeof session === 'string' && session !== '' ? session : undefined;
}

/** The turns of a conversation as one text: a single turn by itself. */
function turnsIn(messages: unknown): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return undefined;
  const turns = messages.map(asRecord);
  const isTurn = turns.every(({ role, content }) => typeof role === 'string' && typeof content === 'string');
  if (!isTurn) return undefined;
  const [first] = turns;
  if (turns.length === 1) return String(first?.['content']);
  return turns.map(({ role, content }) => `${String(role)}: ${String(content)}`).join('\n\n');
}

interface GivenFile {
  name?: string;
  media_type: string;
  content_base64: string;
}

const isFile = (file: unknown): file is GivenFile =>
  isRecord(file) && typeof file['media_type'] === 'string' && typeof file['content_base64'] === 'string';

const DATA_PART: Readonly<Record<PartStyle, (data: Json) => Json>> = {
  '1.0': (data) => ({ data }),
  '0.3': (data) => ({ kind: 'data', data }),
  '0.3 HTTP': (data) => ({ data: { data } }),
};
const dataPart = (data: Json, style: PartStyle): Json => DATA_PART[style](data);

function filePart({ name, media_type: type, content_base64: content }: GivenFile, style: PartStyle): Json {
  if (style === '1.0')
    return { raw: content, mediaType: type, ...(name !== undefined && { filename: name }) };
  const named = { mimeType: type, ...(name !== undefined && { name }) };
  return style === '0.3'
    ? { kind: 'file', file: { bytes: content, ...named } }
    : { file: { fileWithBytes: content, ...named } };
}

/** A file of an answer, by its content or its address. */
interface AnsweredFile {
  name?: string;
  media_type?: string;
  content_base64?: string;
  url?: string;
}

export interface Output {
  text: string;
  data?: unknown[];
  files?: AnsweredFile[];
}

/** Statuses that refuse the moment, and not the request. */
export const OF_THE_MOMENT: ReadonlySet<number> = new Set([408, 425, 429]);

export const BETWEEN_ARTIFACTS = '\n\n';

/** The output of lists of parts, one for each message or artifact. */
export function outputOf(lists: readonly unknown[]): Output {
  const read = lists.map(readParts);
  const texts = read.map(({ text }) => text).filter((text) => text !== '');
  const data = read.flatMap(({ data: found }) => found);
  const files = read.flatMap(({ files: found }) => found);
  return {
    text: texts.join(BETWEEN_ARTIFACTS),
    ...(data.length > 0 && { data }),
    ...(files.length > 0 && { files }),
  };
}

/** The text of parts, without what is no text. */
export const textOf = (parts: unknown): string => readParts(parts).text;

function readParts(parts: unknown): { text: string; data: unknown[]; files: AnsweredFile[] } {
  const found = { text: '', data: [] as unknown[], files: [] as AnsweredFile[] };
  if (!Array.isArray(parts)) throw agentFailure('not a list of parts');
  for (const part of parts as unknown[]) {
    if (!isRecord(part)) throw agentFailure('not a part');
    const { text, data } = part;
    if (typeof text === 'string') found.text += text;
    else if (data !== undefined) found.data.push(isNested(part) ? asRecord(data)['data'] : data);
    else found.files.push(fileIn(part));
  }
  return found;
}

/** HTTP+JSON of 0.3 has data in an object of its own, and no part has a kind there. */
const isNested = ({ kind, data }: Json): boolean =>
  kind === undefined && isRecord(data) && isRecord(data['data']) && Object.keys(data).length === 1;

/** 1.0 has the file as the part, and 0.3 as a member of it. */
function fileIn(part: Json): AnsweredFile {
  const file = isRecord(part['file']) ? part['file'] : part;
  const content = file['raw'] ?? file['bytes'] ?? file['fileWithBytes'];
  const url = file['url'] ?? file['uri'] ?? file['fileWithUri'];
  const name = file['filename'] ?? file['name'];
  const type = file['mediaType'] ?? file['mimeType'];
  if (typeof content !== 'string' && typeof url !== 'string') throw agentFailure('a part of an unknown kind');
  return {
    ...(typeof name === 'string' && name !== '' && { name }),
    ...(typeof type === 'string' && type !== '' && { media_type: type }),
    ...(typeof content === 'string' ? { content_base64: content } : { url: String(url) }),
  };
}

/** The answer of an A2A agent as parts again (ADR 0252): text, data and files, as the agent sent them. */
import { asRecord } from '../../domain/json-value';
import { elementsOf, membersOf } from '../../kit/json/json-slices';

type Json = Record<string, unknown>;
/** Reads JSON text: parses it, or stores it and returns a value that stands for it. */
export type ReadJson = (json: Buffer) => unknown;

/** An answer with more data or files stays one part, because the protocol's library looks at each part. */
const MOST_PARTS = 1_000;
const MEMBERS = new Set(['text', 'data', 'files']);

/** The parts of an answer `{text, data, files}` as JSON text. Undefined for an answer of another form. */
export function answerParts(json: Buffer, read: ReadJson): Json[] | undefined {
  const members = membersOf(json);
  const text = members?.get('text');
  if (!members || !text || [...members.keys()].some((name) => !MEMBERS.has(name))) return undefined;
  const data = listed(members.get('data'));
  const files = listed(members.get('files'))?.map((file) => filePart(file, read));
  if (!data || !files || files.some((file) => file === undefined)) return undefined;
  const isEmpty = text.toString('latin1', 0, 16).trim() === '""';
  return [
    ...(isEmpty && data.length + files.length > 0 ? [] : [{ text: read(text) }]),
    ...data.map((value) => ({ data: read(value), mediaType: 'application/json' })),
    ...files.filter((file) => file !== undefined),
  ];
}

const listed = (list: Buffer | undefined) => (list ? elementsOf(list, MOST_PARTS) : []);

function filePart(file: Buffer, read: ReadJson): Json | undefined {
  const members = membersOf(file);
  const content = members?.get('content_base64');
  const {
    name,
    media_type: mediaType,
    url,
  } = asRecord(
    Object.fromEntries(['name', 'media_type', 'url'].map((key) => [key, valueOf(members?.get(key))])),
  );
  if (!content && url === undefined) return undefined;
  return {
    ...(content ? { raw: read(content) } : { url }),
    ...(mediaType !== undefined && { mediaType }),
    ...(name !== undefined && { filename: name }),
  };
}

const valueOf = (json: Buffer | undefined) => json && (JSON.parse(json.toString()) as unknown);

import type { Request } from 'express';
import { MarketError } from '../../domain/errors';
import { parseStrictJson, type StrictJson } from '../../kit/json/strict-json';
import { SMALL_BODY_BYTES, type Upload, type Uploads } from './uploads';

export const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;
/** A body of many tiny values costs far more time and memory than its bytes. */
const MAX_BODY_NODES = 500_000;
/**
 * The same where the handler needs the value itself: it is passed from the thread, which costs as much as parsing it.
 */
const MAX_PASSED_NODES = 150_000;
/** Where a body is counted. */
export interface BodySource {
  req: Request;
  limitBytes: number;
  uploads: Uploads;
  /** The account and the address that send the body. */
  owners: readonly string[];
  /** Decides about a body of undeclared length, once it is larger than a small one. Throws to refuse it. */
  beforeLarge?: () => Promise<void>;
}

/**
 * Reads a JSON body and runs `work` on its bytes, while they count as held. Throws `unsupported_media_type` for another
 * content type or charset, and as `readBody` does. `work` gets undefined without a body, so that operations with only
 * optional fields need none.
 */
export async function readJsonBody<T>(
  source: BodySource,
  work: (bytes: Buffer | undefined) => T | Promise<T>,
): Promise<T> {
  const contentType = source.req.headers['content-type'];
  if (contentType === undefined && !hasBody(source.req)) return work(undefined);
  if (!isJsonUtf8(contentType)) throw new MarketError('unsupported_media_type');
  return readBody(source, work);
}

/**
 * Parses a body. Throws `malformed_json` for anything that src/kit/json/strict-json.ts refuses, and `payload_too_large`
 * for too many values; `isPassed`: the handler needs the value itself. No body reads as `{}`.
 */
export function parseJsonBody(bytes: Buffer | undefined, isPassed = false): StrictJson {
  if (bytes === undefined) return { value: {}, nodes: 1 };
  return parseStrictJson(bytes, isPassed ? MAX_PASSED_NODES : MAX_BODY_NODES);
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

/** The declared length of a body in bytes; undefined for a chunked body. */
export function declaredBytes(req: Request): number | undefined {
  const declared = req.headers['content-length'];
  if (declared !== undefined) return Number(declared);
  return req.headers['transfer-encoding'] === undefined ? 0 : undefined;
}

/**
 * Reads the raw body and runs `work` on it, while its bytes count as held (`uploads.ts`). Throws
 * `unsupported_media_type` for a content encoding, `payload_too_large` above the limit, `request_timeout` for a body
 * that arrives too slowly, `concurrency_limited` when its owners upload too much at once.
 */
export async function readBody<T>(source: BodySource, work: (bytes: Buffer) => T | Promise<T>): Promise<T> {
  const { req, limitBytes, uploads, owners } = source;
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new MarketError('unsupported_media_type', { message: 'Send the body without a content encoding.' });
  }
  const declared = declaredBytes(req);
  if (declared !== undefined && declared > limitBytes) throw tooLarge(limitBytes);
  let stop: (error: MarketError) => void = () => undefined;
  const upload = uploads.open(owners, (error) => stop(error));
  try {
    const tooSlow = new Promise<never>((_resolve, reject) => (stop = reject));
    const bytes = await Promise.race([receive(source, declared, upload), tooSlow]);
    upload.complete();
    return await work(bytes);
  } finally {
    upload.close();
  }
}

/** Collects chunks. From `SMALL_BODY_BYTES` on, a body of declared length is read directly into its buffer. */
async function receive(
  { req, limitBytes, beforeLarge }: BodySource,
  declared: number | undefined,
  upload: Upload,
): Promise<Buffer> {
  let chunks: Buffer[] = [];
  let length = 0;
  let target: Buffer | undefined;
  const makeRoom = async () => {
    if (declared === undefined) await beforeLarge?.();
    await upload.reserve(declared ?? limitBytes);
    if (declared === undefined) return;
    target = Buffer.allocUnsafeSlow(declared);
    Buffer.concat(chunks).copy(target);
    chunks = [];
  };
  await consume(req, (chunk) => {
    if (length + chunk.length > limitBytes) throw tooLarge(limitBytes);
    upload.arrived(chunk.length);
    if (target) chunk.copy(target, length);
    else chunks.push(chunk);
    const wasSmall = length <= SMALL_BODY_BYTES;
    length += chunk.length;
    if (!wasSmall || length <= SMALL_BODY_BYTES) return undefined;
    return makeRoom();
  });
  return target ?? concat(chunks, length);
}

/** Like `Buffer.concat`, but never in the shared pool, so that the bytes can be transferred to a thread. */
function concat(chunks: readonly Buffer[], length: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(whole, at);
  return whole;
}

/** Passes each chunk to `take`. While the promise of `take` is pending, the connection is paused. */
function consume(req: Request, onChunk: (chunk: Buffer) => Promise<void> | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error) => {
      req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      if (error) reject(error);
      else resolve();
    };
    const onData = (chunk: Buffer) => {
      try {
        const wait = onChunk(chunk);
        if (!wait) return;
        req.pause();
        wait.then(() => req.resume(), done);
      } catch (error) {
        done(error as Error);
      }
    };
    const onEnd = () => done();
    const onClose = () => done(new MarketError('malformed_request', { message: 'The body ended early.' }));
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

function tooLarge(limitBytes: number): MarketError {
  return new MarketError('payload_too_large', { message: `The body is larger than ${limitBytes} bytes.` });
}

/** A media type as RFC 9110 §8.3 writes it, in lower case, with the values of its parameter `charset`. */
export interface MediaType {
  type: string;
  charsets: readonly string[];
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const TYPE = new RegExp(`[ \\t]*(${TOKEN}/${TOKEN})[ \\t]*`, 'y');
/** Clients also write white space around `=`, and a `;` without a parameter behind it. */
const PARAMETER = new RegExp(
  `;[ \\t]*(?:(${TOKEN})[ \\t]*=[ \\t]*(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")[ \\t]*)?`,
  'y',
);

/** Reads a `Content-Type`. Returns undefined if there is none, or if it is malformed. */
export function readMediaType(header: string | undefined): MediaType | undefined {
  if (header === undefined) return undefined;
  TYPE.lastIndex = 0;
  const type = TYPE.exec(header)?.[1]?.toLowerCase();
  if (type === undefined) return undefined;
  const charsets: string[] = [];
  let at = TYPE.lastIndex;
  while (at < header.length) {
    PARAMETER.lastIndex = at;
    const parameter = PARAMETER.exec(header);
    if (!parameter) return undefined;
    at = PARAMETER.lastIndex;
    const [, name, plain, quoted] = parameter;
    if (name?.toLowerCase() === 'charset')
      charsets.push((plain ?? quoted?.replace(/\\(.)/g, '$1') ?? '').toLowerCase());
  }
  return { type, charsets };
}

/** Charsets whose bytes are UTF-8. Every US-ASCII text is one. */
const UTF8 = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii']);
/** They are JSON, and no body of an operation: they say how to change something else. */
const PATCH = /[-/]patch\+json$/;

/**
 * Whether a body is declared as JSON in UTF-8: `application/json`, or a type of its own that is JSON (RFC 6839,
 * `application/vnd.example+json`). Its other parameters have no meaning (RFC 8259 §11).
 */
export function isJsonUtf8(contentType: string | undefined): boolean {
  const media = readMediaType(contentType);
  if (!media?.charsets.every((charset) => UTF8.has(charset))) return false;
  return (
    media.type === 'application/json' ||
    (/^application\/.+\+json$/.test(media.type) && !PATCH.test(media.type))
  );
}

/** Whether a body is declared as JSON of the A2A protocol: `application/json` or `application/a2a+json`, in UTF-8. */
export function isA2aJson(contentType: string | undefined): boolean {
  const media = readMediaType(contentType);
  return (
    isJsonUtf8(contentType) && (media?.type === 'application/json' || media?.type === 'application/a2a+json')
  );
}

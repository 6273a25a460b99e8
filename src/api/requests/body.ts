import type { Request } from 'express';
import { MarketError } from '../../domain/errors';
import { parseStrictJson, type StrictJson } from '../../kit/json/strict-json';

export const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;
/** After a refusal, up to this much of the body is read and discarded, so that the client gets the response. */
const DRAIN_BYTES = 16 * 1024 * 1024;
const DRAIN_MS = 2_000;

/** Limits the bytes of bodies that this process holds at a time. Further uploads are refused with 429. */
export interface UploadBudget {
  take: (bytes: number) => void;
  give: (bytes: number) => void;
}

export function createUploadBudget(maxBytes: number): UploadBudget {
  let used = 0;
  return {
    take: (bytes) => {
      if (used + bytes > maxBytes) {
        throw new MarketError('concurrency_limited', {
          message: 'Too many large uploads at once. Retry shortly.',
          retryAfterSeconds: 1,
        });
      }
      used += bytes;
    },
    give: (bytes) => {
      used -= bytes;
    },
  };
}

/**
 * Reads a JSON body. Throws `unsupported_media_type` for another content type or charset, or for a content encoding;
 * `payload_too_large` above the limit. Returns undefined without a body, so that operations with only optional fields
 * need none.
 */
export async function readJsonBytes(
  req: Request,
  limitBytes: number,
  budget: UploadBudget,
): Promise<Buffer | undefined> {
  const contentType = req.headers['content-type'];
  if (contentType === undefined && !hasBody(req)) return undefined;
  if (!isJsonUtf8(contentType)) throw new MarketError('unsupported_media_type');
  return readBytes(req, limitBytes, budget);
}

/**
 * Parses a body. Throws `malformed_json` for anything that src/kit/json/strict-json.ts refuses. No body reads as `{}`.
 */
export function parseJsonBody(bytes: Buffer | undefined): StrictJson {
  return bytes === undefined ? { value: {}, nodes: 1 } : parseStrictJson(bytes);
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

/** Whether the content type is `application/json`, in UTF-8 or without a charset. */
export function isJsonUtf8(contentType: string | undefined): boolean {
  return (
    contentType !== undefined &&
    /^application\/json[ \t]*(?:;[ \t]*charset="?utf-?8"?[ \t]*)?;?[ \t]*$/i.test(contentType)
  );
}

/** Reads the raw body. Throws `unsupported_media_type` for a content encoding, `payload_too_large` above the limit. */
export async function readBytes(req: Request, limitBytes: number, budget: UploadBudget): Promise<Buffer> {
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new MarketError('unsupported_media_type', { message: 'Send the body without a content encoding.' });
  }
  const declared = req.headers['content-length'];
  const reserved = declared === undefined ? limitBytes : Number(declared);
  if (reserved > limitBytes) throw tooLarge(req, limitBytes);
  budget.take(reserved);
  try {
    return declared === undefined
      ? await collect(req, limitBytes)
      : await fill(req, Buffer.allocUnsafeSlow(reserved));
  } finally {
    budget.give(reserved);
  }
}

/** Reads a body of declared length directly into its buffer. */
async function fill(req: Request, target: Buffer): Promise<Buffer> {
  let filled = 0;
  await consume(req, (chunk) => {
    filled += chunk.copy(target, filled);
  });
  return target.subarray(0, filled);
}

async function collect(req: Request, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  await consume(req, (chunk) => {
    length += chunk.length;
    if (length > limitBytes) throw tooLarge(req, limitBytes);
    chunks.push(chunk);
  });
  return Buffer.concat(chunks, length);
}

function consume(req: Request, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error) => {
      req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      if (error) reject(error);
      else resolve();
    };
    const onData = (chunk: Buffer) => {
      try {
        take(chunk);
      } catch (error) {
        done(error as Error);
      }
    };
    const onEnd = () => done();
    const onClose = () => done(new MarketError('malformed_request', { message: 'The body ended early.' }));
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

function tooLarge(req: Request, limitBytes: number): MarketError {
  drain(req);
  return new MarketError('payload_too_large', { message: `The body is larger than ${limitBytes} bytes.` });
}

/** Reads and discards the rest of a refused upload, up to a limit; otherwise the client would not see the response. */
function drain(req: Request): void {
  let bytes = 0;
  const timer = setTimeout(() => req.destroy(), DRAIN_MS);
  req.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DRAIN_BYTES) req.destroy();
  });
  req.once('close', () => clearTimeout(timer));
  req.once('end', () => clearTimeout(timer));
}

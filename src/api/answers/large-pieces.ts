/**
 * Lets a response contain large JSON without parsing it or serializing it again. Code that builds the response uses a
 * random token in place of the JSON text; the token is replaced in what is written to the connection.
 */
import { randomBytes } from 'node:crypto';
import type { Response } from 'express';

/** Stores JSON text for a response. Returns a string that stands for it as a JSON value, and as base64 of bytes. */
export type HoldJson = (json: Buffer) => string;

/** 24 bytes have a base64 form without padding, which stays the same when it is decoded and encoded. */
const TOKEN_BYTES = 24;
const QUOTED_TOKEN = /"([A-Za-z0-9+/]{32})"/;

/** Prepares a response. It is unchanged until the first JSON text is stored. */
export function holdJsonFor(res: Response): HoldJson {
  const held = new Map<string, Buffer>();
  return (json) => {
    if (held.size === 0) replaceTokens(res, held);
    const token = randomBytes(TOKEN_BYTES).toString('base64');
    held.set(token, json);
    return token;
  };
}

function replaceTokens(res: Response, held: ReadonlyMap<string, Buffer>): void {
  const write = res.write.bind(res) as (chunk: unknown) => boolean;
  const end = res.end.bind(res) as (chunk?: unknown) => Response;
  const writeAll = (pieces: readonly Buffer[]) => pieces.map((piece) => write(piece)).every(Boolean);
  res.write = ((chunk: unknown) => writeAll(withPieces(chunk, held))) as Response['write'];
  res.end = ((chunk?: unknown) => {
    if (typeof chunk !== 'string' && !Buffer.isBuffer(chunk)) return end(chunk);
    const pieces = withPieces(chunk, held);
    if (!res.headersSent) {
      res.removeHeader('ETag');
      res.setHeader(
        'Content-Length',
        pieces.reduce((bytes, piece) => bytes + piece.length, 0),
      );
    }
    writeAll(pieces.slice(0, -1));
    return end(pieces.at(-1));
  }) as Response['end'];
}

/** What is written for a chunk. Other strings of a token's form stay as they are. */
function withPieces(chunk: unknown, held: ReadonlyMap<string, Buffer>): Buffer[] {
  const texts = String(chunk).split(QUOTED_TOKEN);
  return texts.map((text, at) => {
    if (at % 2 === 0) return Buffer.from(text);
    return held.get(text) ?? Buffer.from(`"${text}"`);
  });
}

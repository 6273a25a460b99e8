/** Lets a response contain large JSON text as it is (`kit/json/held-json.ts`). */
import type { Response } from 'express';
import { createHeldJson, type HeldJson } from '../../kit/json/held-json';

/** Stores JSON text for a response. Returns a string that stands for it as a JSON value, and as base64 of bytes. */
export type HoldJson = HeldJson['hold'];

/** Prepares a response. It is unchanged until the first JSON text is stored. */
export function holdJsonFor(res: Response): HoldJson {
  const held = createHeldJson();
  return (json) => {
    if (held.isEmpty) replaceTokens(res, held);
    return held.hold(json);
  };
}

function replaceTokens(res: Response, held: HeldJson): void {
  const write = res.write.bind(res) as (chunk: unknown) => boolean;
  const end = res.end.bind(res) as (chunk?: unknown) => Response;
  const writeAll = (pieces: readonly Buffer[]) => pieces.map((piece) => write(piece)).every(Boolean);
  res.write = ((chunk: unknown) => writeAll(held.pieces(String(chunk)))) as Response['write'];
  res.end = ((chunk?: unknown) => {
    if (typeof chunk !== 'string' && !Buffer.isBuffer(chunk)) return end(chunk);
    const pieces = held.pieces(String(chunk));
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

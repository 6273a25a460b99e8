import type { Request } from 'express';

/** After a refusal, up to this much of the body is read and discarded, so that the client gets the response. */
const DISCARD_BYTES = 16 * 1024 * 1024;
const DISCARD_MS = 1_000;

/**
 * Reads and discards the rest of a refused upload, up to a limit; otherwise the client would not see the response. A
 * client that sends no more, or too much, is disconnected.
 */
export function discardRest(req: Request): void {
  if (req.complete || req.destroyed) return;
  let bytes = 0;
  const timer = setTimeout(() => req.destroy(), DISCARD_MS).unref();
  req.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DISCARD_BYTES) req.destroy();
  });
  req.once('close', () => clearTimeout(timer));
  req.once('end', () => clearTimeout(timer));
  req.resume();
}

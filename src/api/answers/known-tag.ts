import type { Request, Response } from 'express';
import { HANDLED } from './answer';

/** RFC 9110: whether the client has the representation with this tag, by weak comparison. */
export function isKnown(header: string | undefined, etag: string): boolean {
  const weak = (tag: string) => tag.trim().replace(/^W\//, '');
  return (
    header !== undefined && header.split(',').some((tag) => tag.trim() === '*' || weak(tag) === weak(etag))
  );
}

/** Clients and caches may keep a document, and must ask for it again. With its tag, they get 304 if it is the same. */
export const ASKED_AGAIN = 'public, no-cache';

/** Of a private agent: only the caller may have it. */
export const NEVER_SHARED = 'private, no-store';

/** Sends a document whole, or 304 to a client that has it. */
export function sendTagged(
  { req, res }: { req: Request; res: Response },
  { text, etag }: { text: string; etag: string },
  headers: Record<string, string>,
): typeof HANDLED {
  res.set({ ETag: etag, Vary: 'Accept-Encoding' }).set(headers);
  if (!isKnown(req.headers['if-none-match'], etag)) res.end(text);
  else res.status(304).end();
  return HANDLED;
}

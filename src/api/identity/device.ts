/**
 * The device of a person: a random id in a cookie that the pages of the console set. It says that accounts belong to
 * one hand, and neither logs anybody in nor is needed (docs/related-accounts.md).
 */
import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';

const NAME = 'market_device';
const VALUE = new RegExp(`(?:^|;\\s*)${NAME}=([A-Za-z0-9_-]{43})(?:;|$)`);
const YEAR_MS = 365 * 24 * 3_600_000;

/** The id of the device of a request; undefined for programs, and for browsers that keep no cookies. */
export function deviceOf(req: Request): string | undefined {
  return VALUE.exec(req.headers.cookie ?? '')?.[1];
}

/** Gives the device an id if it has none. */
export function markDevice(req: Request, res: Response, secure: boolean): void {
  if (deviceOf(req) !== undefined) return;
  const value = randomBytes(32).toString('base64url');
  res.cookie(NAME, value, { httpOnly: true, sameSite: 'lax', secure, path: '/', maxAge: YEAR_MS });
}

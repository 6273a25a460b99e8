import type { Response } from 'express';
import type { MarketError } from '../../domain/errors';
import { contextOf } from '../identity/context';
import { httpStatus } from './http-status';

/**
 * How a caller authenticates, for `WWW-Authenticate` (RFC 9110 requires the header on every 401). Neither scheme is one
 * that browsers prompt for. A path with further schemes adds them to its context (`RequestContext.challenges`).
 */
const CHALLENGES = [
  'ApiKey realm="market", in="header", name="X-API-Key"',
  'Cookie realm="market", name="market_session", login="/v1/auth/login"',
] as const;

/**
 * Sets the headers that belong to an error in every format: `Retry-After`, and `WWW-Authenticate` on 401. A token
 * without the scope is also answered with a challenge (RFC 6750), where the path has one.
 */
export function setErrorHeaders(res: Response, error: MarketError): void {
  if (error.retryAfterSeconds !== undefined) res.setHeader('Retry-After', String(error.retryAfterSeconds));
  const ofPath = contextOf(res).challenges?.(error.code) ?? [];
  if (httpStatus(error.code) === 401) res.setHeader('WWW-Authenticate', [...ofPath, ...CHALLENGES]);
  else if (error.code === 'insufficient_scope' && ofPath.length > 0)
    res.setHeader('WWW-Authenticate', ofPath);
}

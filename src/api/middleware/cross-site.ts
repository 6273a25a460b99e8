import type { RequestHandler } from 'express';
import { MarketError } from '../../domain/errors';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses unsafe requests that a browser sends on behalf of another site, according to `Sec-Fetch-Site`, else `Origin`.
 * Requests with neither header do not come from a page in a browser and are allowed. Cookies are also SameSite=Lax.
 */
export function refuseCrossSite(ownOrigins: readonly string[]): RequestHandler {
  const origins = new Set(ownOrigins);
  return (req, _res, next) => {
    next(
      isCrossSite(req.method, req.get('sec-fetch-site'), req.get('origin'), origins) ? refusal() : undefined,
    );
  };
}

function isCrossSite(
  method: string,
  fetchSite: string | undefined,
  origin: string | undefined,
  ownOrigins: ReadonlySet<string>,
): boolean {
  if (SAFE_METHODS.has(method) || fetchSite === 'same-origin' || fetchSite === 'none') return false;
  if (fetchSite === undefined && origin === undefined) return false;
  return origin === undefined || !ownOrigins.has(origin);
}

function refusal(): MarketError {
  return new MarketError('cross_site_request');
}

import type { RequestHandler } from 'express';
import { MarketError } from '../../../domain/errors';

/**
 * MCP's protection against DNS rebinding and hostile pages: a request with a foreign `Origin` is refused with 403,
 * whatever else it contains. Programs send no `Origin`.
 */
export function refuseStrangeOrigin(ownOrigins: readonly string[]): RequestHandler {
  const origins = new Set(ownOrigins);
  return (req, _res, next) => {
    const origin = req.get('origin');
    const isStrange = origin !== undefined && !origins.has(origin);
    next(isStrange ? new MarketError('cross_site_request') : undefined);
  };
}

import type { RequestHandler } from 'express';
import { MarketError } from '../../domain/errors';

/**
 * The protocol's rule against pages that talk to a server behind the user's back: an `Origin` that is not ours is
 * refused with 403, whatever the method and whatever else the request says. Programs send none.
 */
export function refuseStrangeOrigin(ownOrigins: readonly string[]): RequestHandler {
  const origins = new Set(ownOrigins);
  return (req, _res, next) => {
    const origin = req.get('origin');
    const isStrange = origin !== undefined && !origins.has(origin);
    next(isStrange ? new MarketError('cross_site_request') : undefined);
  };
}

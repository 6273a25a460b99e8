import type { RequestHandler } from 'express';
import { MarketError } from '../../domain/errors';
import { HOPS_HEADER, MAX_HOPS, readHops } from '../../domain/calls/hops';
import { contextOf } from '../identity/context';

/**
 * Reads the number of calls of this service that led to a request. Refuses a number above the limit with
 * `a2a_depth_exceeded`, and a header that is not a plain number with `invalid_header`.
 */
export function countHops(): RequestHandler {
  return (req, _res, next) => {
    const hops = readHops(req.get(HOPS_HEADER));
    if (hops === undefined) return next(new MarketError('invalid_header'));
    if (hops > MAX_HOPS) return next(new MarketError('a2a_depth_exceeded', { retryAfterSeconds: 1 }));
    contextOf(req).hops = hops;
    next();
  };
}

import type { RequestHandler } from 'express';
import { forwardedAddresses } from '../../kit/client-address';

const HEADER = 'x-forwarded-for';

/**
 * Rewrites `X-Forwarded-For` in a form that Express reads (`req.ip`), because some gateways write ports, brackets or
 * quotes. Which of its addresses count is decided by TRUSTED_PROXIES.
 */
export function readForwardedFor(): RequestHandler {
  return (req, _res, next) => {
    const header = req.headers[HEADER];
    if (header !== undefined) req.headers[HEADER] = forwardedAddresses(String(header)).join(', ');
    next();
  };
}

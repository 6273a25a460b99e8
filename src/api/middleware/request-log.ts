import type { RequestHandler } from 'express';
import type { Logger } from '../../logger';
import { contextOf } from '../context';

/** One line per request, of named fields only: no query, no header, no body, and the route's pattern for the path. */
export function requestLog(logger: Logger): RequestHandler {
  return (req, res, next) => {
    const startedAt = process.hrtime.bigint();
    res.once('close', () => {
      const context = contextOf(res);
      const line = {
        method: req.method,
        route: context.route ?? 'unmatched',
        status: res.statusCode,
        durationMs: Math.round(Number(process.hrtime.bigint() - startedAt) / 1e4) / 100,
        traceId: context.traceId,
        userId: context.principal?.userId,
        keyId: context.principal?.key?.keyId,
        aborted: res.writableFinished ? undefined : true,
      };
      if (res.statusCode >= 500) logger.warn(line, 'request failed');
      else logger.info(line, 'request');
    });
    next();
  };
}

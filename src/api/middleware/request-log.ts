import type { RequestHandler } from 'express';
import type { RequestEnd } from '../../kit/metrics';
import type { Logger } from '../../logger';
import { contextOf } from '../identity/context';

/**
 * Logs one line per request. It contains named fields only: no query, headers or body, and the route's pattern instead
 * of the path. Calls `onEnd` with the same data, for metrics.
 */
export function requestLog(logger: Logger, onEnd?: (end: RequestEnd) => void): RequestHandler {
  return (req, res, next) => {
    const startedAt = process.hrtime.bigint();
    res.once('close', () => {
      const context = contextOf(res);
      const { method } = req;
      const route = context.route ?? 'unmatched';
      const status = res.statusCode;
      const durationMs = Math.round(Number(process.hrtime.bigint() - startedAt) / 1e4) / 100;
      onEnd?.({ method, route, status, seconds: durationMs / 1_000 });
      const line = {
        method,
        route,
        status,
        durationMs,
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

import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { newTraceId } from '../../kit/ids/ids';
import { insideSpan, spanIdOf, type SpanRecord, type SpanSink, spanSink } from '../../kit/tracing';
import { contextOf, createContext } from '../identity/context';

const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.{0,200})?$/;

/** The span of the caller in a valid `traceparent` header. */
const PARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-([0-9a-f]{16})-/;

/** The trace id of a W3C `traceparent` header; undefined if the header is missing or invalid. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  return traceparent === undefined ? undefined : TRACEPARENT.exec(traceparent)?.[1];
}

/** Continues the caller's trace or starts a new one. Every response, including errors, has `X-Trace-Id`. */
export function trace(): RequestHandler {
  return (req, res, next) => {
    const traceId = traceIdOf(req.get('traceparent')) ?? newTraceId();
    createContext(req, res, traceId);
    res.setHeader('X-Trace-Id', traceId);
    const record = spanSink();
    if (record) recordRequest(record, req, res, traceId, next);
    else next();
  };
}

/** Records the request as a span below the caller's, and lets the rest of it run inside that span. */
function recordRequest(
  record: SpanSink,
  req: Request,
  res: Response,
  traceId: string,
  next: NextFunction,
): void {
  const spanId = spanIdOf(newTraceId());
  const startMs = Date.now();
  const startedAt = performance.now();
  const attributes: SpanRecord['attributes'] = {};
  const parentSpanId = PARENT.exec(req.get('traceparent') ?? '')?.[1];
  res.once('close', () => {
    const route = contextOf(res).route ?? 'unmatched';
    record({
      traceId,
      spanId,
      parentSpanId: req.get('traceparent')?.includes(traceId) ? parentSpanId : undefined,
      name: `${req.method} ${route}`,
      kind: 'server',
      startMs,
      durationMs: performance.now() - startedAt,
      attributes: {
        ...attributes,
        'http.request.method': req.method,
        'http.route': route,
        'http.response.status_code': res.statusCode,
      },
      failure: res.statusCode >= 500 ? String(res.statusCode) : undefined,
    });
  });
  insideSpan(spanId, next, attributes);
}

import type { RequestHandler } from 'express';
import { newTraceId } from '../../kit/ids/ids';
import { openContext } from '../binding/context';

const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.{0,200})?$/;

/** The trace id of a W3C `traceparent` header; undefined if the header is missing or invalid. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  return traceparent === undefined ? undefined : TRACEPARENT.exec(traceparent)?.[1];
}

/** Continues the caller's trace or starts a new one. Every response, including errors, has `X-Trace-Id`. */
export function trace(): RequestHandler {
  return (req, res, next) => {
    const traceId = traceIdOf(req.get('traceparent')) ?? newTraceId();
    openContext(req, res, traceId);
    res.setHeader('X-Trace-Id', traceId);
    next();
  };
}

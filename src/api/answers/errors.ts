import type { ErrorRequestHandler, Request, Response } from 'express';
import {
  defaultMessage,
  isRetryable,
  MarketError,
  type ErrorCode,
  type FieldProblem,
} from '../../domain/errors';
import { paymentRequired } from '../../domain/calls/payment-required';
import { OverloadError } from '../../kit/concurrency/lanes';
import type { Metrics } from '../../kit/metrics';
import type { Logger } from '../../logger';
import { contextOf } from '../identity/context';
import type { RefusalLine } from '../requests/refusal-line';
import { setErrorHeaders } from './error-headers';
import { discardRest } from './discard-rest';
import { hiddenWaitMs } from './hidden-time';
import { httpStatus } from './http-status';

/** After this time, a refusal for want of a connection may be retried. */
const OVERLOAD_PAUSE_SECONDS = 1;

/** The error body of the contract ("General"). */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; retryable: boolean; agent_message?: string };
  trace_id: string;
  invocation_id?: string;
  detail?: FieldProblem[];
}

/** Dependencies for distinguishing internal errors from an unreachable Postgres. A full pool has its own error. */
export interface FaultDeps {
  logger: Logger;
  /** True for an error that means that Postgres is unreachable. */
  isUnavailable: (error: unknown) => boolean;
}

export interface ErrorDeps extends FaultDeps {
  /**
   * Counts requests that failed before they were counted against the rate limits (src/api/requests/request-limits.ts).
   */
  countFailed: (req: Request, res: Response, error: MarketError) => MarketError;
  line: RefusalLine;
  /** The address of the marketplace, for the addresses in answers. */
  publicOrigin: string;
  /** Undefined if errors are not counted. */
  metrics?: Pick<Metrics, 'requestFailed'>;
}

export function errorBody(error: MarketError, traceId: string): ErrorBody {
  return {
    error: {
      code: error.code,
      message: error.message,
      retryable: isRetryable(error.code),
      ...(error.agentMessage !== undefined && { agent_message: error.agentMessage }),
    },
    trace_id: traceId,
    ...(error.invocationId !== undefined && { invocation_id: error.invocationId }),
    ...(httpStatus(error.code) === 422 && { detail: error.detail ?? [] }),
  };
}

/** Converts any thrown value into the caller's error. Unexpected errors become `internal_error` without details. */
export function toMarketError(error: unknown, deps: FaultDeps, traceId: string): MarketError {
  if (error instanceof MarketError) {
    if (error.code === 'not_ready' && error.cause !== undefined)
      deps.logger.warn({ err: error, traceId }, 'the service is not ready');
    return error;
  }
  if (error instanceof OverloadError) {
    deps.logger.warn({ err: error, traceId }, 'the database connection pool is full');
    return new MarketError('overloaded', { cause: error, retryAfterSeconds: OVERLOAD_PAUSE_SECONDS });
  }
  if (deps.isUnavailable(error)) {
    deps.logger.warn({ err: error, traceId }, 'Postgres is unreachable');
    return new MarketError('not_ready', { cause: error });
  }
  if (isBadRequest(error)) return new MarketError('malformed_request', { cause: error });
  deps.logger.error({ err: error, traceId }, 'request failed unexpectedly');
  return new MarketError('internal_error', { cause: error });
}

/** Errors of Express itself, such as a path with bad percent-encoding, carry their status. */
function isBadRequest(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 400 && 'expose' in error
    ? true
    : error instanceof URIError;
}

/** Writes an error response. If a response has already begun, closes its connection. */
export function sendError(res: Response, error: MarketError): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const { writeError } = contextOf(res);
  if (writeError) {
    writeError(res, error);
    return;
  }
  res.statusCode = httpStatus(error.code);
  setErrorHeaders(res, error);
  sendJson(res, errorBody(error, contextOf(res).traceId));
}

export function sendJson(res: Response, body: unknown): void {
  const text = JSON.stringify(body);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}

/**
 * The last middleware: writes the contract's error body for every thrown error. A request that no operation took, such
 * as one for a path that does not exist, passes the line of refused callers first.
 */
export function answerErrors(deps: ErrorDeps): ErrorRequestHandler {
  const answer = (error: unknown, req: Request, res: Response) => {
    const failure = deps.countFailed(req, res, toMarketError(error, deps, contextOf(res).traceId));
    deps.metrics?.requestFailed(failure.code);
    const send = () => {
      if (!res.headersSent) announcePayment(req, res, failure, deps.publicOrigin);
      sendError(res, failure);
      discardRest(req);
    };
    const waitMs = hiddenWaitMs(failure.code, contextOf(req).arrivedAt);
    if (waitMs > 0) setTimeout(send, waitMs);
    else send();
  };
  return (error: unknown, req, res, _next) => {
    if (contextOf(req).passedLine === true || res.headersSent) return answer(error, req, res);
    deps.line.enter(req, res).then(
      () => answer(error, req, res),
      (refusal: unknown) => answer(refusal, req, res),
    );
  };
}

/** Sets a header of x402: JSON in base64. */
export function setX402Header(
  res: Response,
  name: `PAYMENT-${'REQUIRED' | 'RESPONSE'}`,
  value: object,
): void {
  res.setHeader(name, Buffer.from(JSON.stringify(value)).toString('base64'));
}

/** Sends the x402 form of a 402 as the header that x402 clients read (x402 version 2, "HTTP transport"). */
function announcePayment(req: Request, res: Response, failure: MarketError, publicOrigin: string): void {
  const { origin } = new URL(publicOrigin);
  const [path] = req.originalUrl.split('?');
  const payment =
    failure.x402?.required ?? paymentRequired(failure, { origin, resourceUrl: `${origin}${path}` });
  if (payment) setX402Header(res, 'PAYMENT-REQUIRED', payment);
  if (failure.x402?.settlement) setX402Header(res, 'PAYMENT-RESPONSE', failure.x402.settlement);
}

/** The error body as text, for responses outside of Express (src/api/http-server.ts). */
export function rawErrorBody(code: ErrorCode, traceId: string, message = defaultMessage(code)): string {
  return JSON.stringify({
    error: { code, message, retryable: isRetryable(code) },
    trace_id: traceId,
  });
}

/**
 * Errors in the shape of OpenAI: `{error: {message, type, param, code}}`, with the members of the error body as well.
 */
import type { Request, RequestHandler, Response } from 'express';
import { isRetryable, MarketError } from '../../domain/errors';
import { setErrorHeaders } from '../answers/error-headers';
import { errorBody, sendJson } from '../answers/errors';
import { httpStatus } from '../answers/http-status';
import { contextOf } from '../identity/context';

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
};

const USE_HEADER =
  'Send the API key in the header X-API-Key: a Bearer value is no credential here. OpenAI client libraries send the header when you give it to them as a default header: default_headers={"X-API-Key": "amk_live_…"} in Python, defaultHeaders in JavaScript.';

/** The error body. `param` is the first field that is wrong. */
export function completionError(error: MarketError, traceId: string) {
  const { error: own, ...rest } = errorBody(error, traceId);
  const status = httpStatus(error.code);
  const type = TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  const detail = (error.detail ?? []).map(({ loc, msg }) => ({ field: loc.slice(1).join('.'), msg }));
  const named = detail.map(({ field, msg }) => `${field} ${msg}.`).join(' ');
  const message = error.code === 'validation_failed' && named !== '' ? named : own.message;
  return { error: { ...own, message, type, param: detail[0]?.field ?? null }, ...rest };
}

/** Writes the errors of the paths behind it in this shape. */
export const answerAsCompletion: RequestHandler = (req, res, next) => {
  contextOf(res).writeError = (target, error) => write(req, target, error);
  next();
};

function write(req: Request, res: Response, error: MarketError): void {
  const isBearer = error.code === 'not_authenticated' && req.get('authorization') !== undefined;
  const known =
    isBearer && req.get('x-api-key') === undefined
      ? new MarketError('not_authenticated', { message: USE_HEADER })
      : error;
  res.statusCode = httpStatus(known.code);
  setErrorHeaders(res, known);
  // OpenAI's client libraries repeat 409, 429 and 5xx by themselves unless this header says otherwise.
  res.setHeader('X-Should-Retry', String(isRetryable(known.code)));
  sendJson(res, completionError(known, contextOf(res).traceId));
}

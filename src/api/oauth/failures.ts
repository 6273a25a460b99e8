import type { Response } from 'express';
import type { MarketError } from '../../domain/errors';
import { OauthFailure } from '../../kit/oauth/oauth-server';
import { sendJson } from '../answers/errors';
import { httpStatus } from '../answers/http-status';
import { HANDLED } from '../answers/answer';
import { problemPage } from './pages';
import { sendPage } from './html';

/** Runs `work` and writes an `OauthFailure` in the form of RFC 6749, section 5.2, and RFC 7591, section 3.2.2. */
export async function answeringFailures<R>(
  res: Response,
  work: () => Promise<R>,
): Promise<R | typeof HANDLED> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OauthFailure)) throw error;
    res.statusCode = error.status;
    if (error.status === 401) res.setHeader('WWW-Authenticate', 'Basic realm="oauth"');
    sendJson(res, { error: error.code, error_description: error.message });
    return HANDLED;
  }
}

/** Writes the service's own errors in the same form. */
export function writeOauthError(res: Response, error: MarketError): void {
  const status = httpStatus(error.code);
  res.statusCode = status;
  if (error.retryAfterSeconds !== undefined) res.setHeader('Retry-After', String(error.retryAfterSeconds));
  sendJson(res, { error: oauthCode(status), error_description: error.message });
}

/** Writes the service's own errors as a page. */
export function writeErrorPage(res: Response, error: MarketError): void {
  if (error.retryAfterSeconds !== undefined) res.setHeader('Retry-After', String(error.retryAfterSeconds));
  sendPage(res, httpStatus(error.code), problemPage(error.message));
}

function oauthCode(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

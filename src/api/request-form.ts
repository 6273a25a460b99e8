import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../domain/errors';

/** Why a request is refused before anything of it is used. */
export interface FormRefusal {
  status: number;
  code: ErrorCode;
  message: string;
}

const MOST_HEADERS = 100;
/** RFC 9110 §7.2: the host of a URI with an optional port. It is empty for a target without an authority. */
const HOST = /^[\w.~!$&'()*+;=:%[\]-]*$/;

/**
 * Checks what Node's parser lets through: too many headers, a `Host` that is missing, repeated or malformed (RFC 9112
 * §3.2), and an expectation other than `100-continue`. Node itself would drop the headers behind its limit.
 */
export function formRefusalOf(req: IncomingMessage): FormRefusal | undefined {
  const names = req.rawHeaders.filter((_text, index) => index % 2 === 0);
  if (names.length > MOST_HEADERS)
    return headers(431, `The request has ${names.length} headers; at most ${MOST_HEADERS} are accepted.`);
  const hosts = names.filter((name) => name.toLowerCase() === 'host').length;
  if (hosts > 1) return headers(400, `The request has ${hosts} Host headers; send one.`);
  if (hosts === 0 && req.httpVersion === '1.1') return headers(400, 'The request has no Host header.');
  if (!HOST.test(req.headers.host ?? ''))
    return headers(400, 'The Host header is not a host with an optional port.');
  const { expect } = req.headers;
  if (expect !== undefined && expect.trim().toLowerCase() !== '100-continue')
    return headers(417, 'Only the expectation 100-continue can be met.');
  return undefined;
}

function headers(status: number, message: string): FormRefusal {
  return { status, code: 'invalid_header', message };
}
